// Package deploy holds the container files. Its tests parse them and run the
// program as they say. It is a module of its own, outside go.work, because
// only these tests need a parser of compose files.
package deploy
