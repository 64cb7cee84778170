// Package verify compares sources, log and stores place by place, and has what
// differs made again. It knows the log, and of the indexer what a Store says.
package verify
