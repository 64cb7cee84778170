// Package report writes what the laboratory found, for people to read.
package report
