// Package counted is an embedder that outlives those who use it: it runs in
// the process of a test, serves processes that are killed over a socket, and
// counts what each of them had embedded.
package counted
