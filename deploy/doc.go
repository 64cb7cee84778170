// Package deploy holds the container files. Its tests read them with the
// libraries of Docker's builder and of compose, and run the programs as they
// say. It is a module of its own, outside go.work, because only these tests need
// those libraries.
package deploy
