// Package helm holds the chart. Its tests lint and render it with Helm's own
// library, decode what comes out into the types of Kubernetes and KEDA, and
// compare it with what the services read. It is a module of its own, because
// only these tests need those libraries.
package helm
