// Package rpc is typed request and reply over NATS: endpoints with a bounded
// queue in which those who ask take turns, answers in one message or in parts,
// deadlines, callers that leave, and the closed list of errors on both sides. It
// knows no log.
package rpc
