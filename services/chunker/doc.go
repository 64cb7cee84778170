// Package chunker is the service that cuts documents into passages (FILES to
// CHUNKS). Code is cut along its syntax tree, Markdown at its headings, other
// code by indentation, prose recursively. The trees are built in supervised
// child processes of the same executable: a main function has to call
// [cutter.ChildOrReturn] first.
package chunker
