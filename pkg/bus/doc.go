// Package bus is freshet's log: the JetStream streams, publishing with
// compare-and-swap, the worker runner, the head tables, tokens and typed
// request/reply. It owns acknowledgement; a handler returns errors and never
// acks.
package bus
