// Package gateway is the service that people and programs reach over HTTP: an
// interface that hands on the contract's own messages (schemas/openapi.yaml), and
// the page, which stands on it. It adds nothing of its own to an answer.
//
// Everybody on a machine reaches its loopback address, so every request about
// documents says who asks: internal/door is the one place that knows. What a
// browser is led to from elsewhere is refused in internal/guard.
package gateway
