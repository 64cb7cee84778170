// Package instance finds a running freshet: by the URL of its NATS server, by
// the environment, or by its state folder, in which it leaves a record of how to
// reach it.
package instance
