// Package bus is freshet's log: the JetStream streams, publishing with
// compare-and-swap, the worker runner, the head tables and tokens. It owns
// acknowledgement; a handler returns errors and never acks.
package bus
