// Package block is the layout of the files in which an embedded NATS server
// keeps the messages of its streams: it reads and checks them, overwrites what
// was removed, and writes them anew. Nothing else knows the layout. Who may
// touch a file, and when, is the caller's to know.
//
// The layout is the one of nats-server 2.15 (server/filestore.go): streams lie
// in jetstream/ACCOUNT/streams/NAME, their messages in msgs/N.blk, one record
// after the other. A record's checksum is a HighwayHash with the SHA-256 of the
// stream's name and the block's number as its key.
package block
