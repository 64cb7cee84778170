// Package listing lists documents out of one snapshot of the heads of the log:
// what is indexed and how far it has come, or what is left out and why.
package listing
