// Package process is what the programs of all services share: flags, one
// configuration, the connection to the log, health over HTTP, and a stop that
// drains. A program makes its service and leaves the rest to Main.
package process
