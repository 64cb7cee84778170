// Package freshet composes the services into one process: Up runs the whole
// pipeline on an embedded NATS server (or on an external one), over the same
// subjects that separate processes use. Dial finds a running instance.
package freshet
