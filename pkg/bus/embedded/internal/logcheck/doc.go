// Package logcheck reads the files of an embedded NATS server's streams while
// the server is down, finds what the disk has damaged, and takes exactly that
// out, so that the server finds files in which every record is whole.
//
// The server would find damage only when it comes to read it. It then cuts a
// block off behind the first bad record, brings older messages back that newer
// ones had replaced, or waits for itself. So this has to be done before it
// opens the log.
//
// The layout of the blocks is package block's. What the server knew of a stream
// at its last stop is in msgs/index.db, its settings are in meta.inf; both are
// those of nats-server 2.15 (server/filestore.go).
package logcheck
