// Package client asks the services of a running freshet over NATS: one typed
// [Endpoint] for each request that there is, with the longest time in which its
// answer is awaited.
//
// Every error is a *document.Error of the closed list: what the service says,
// Unavailable where nobody answers, Deadline where the answer does not come in
// time, Forbidden where the login may not ask, VersionMismatch where the answer
// is not understood.
package client
