// Package eval measures how well a running freshet finds what it should: it
// reads tasks, asks them over NATS, scores the answers, and says of every miss
// at which stage it was lost.
package eval
