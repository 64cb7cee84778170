// Package embedded runs the NATS server that a process keeps the log with when
// it is given no other. Before the server opens the log, it reads every record
// and takes out what the disk has damaged; while the log is open, it looks again;
// and it overwrites what was removed, and gives its room back.
package embedded
