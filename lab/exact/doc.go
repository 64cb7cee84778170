// Package exact measures how well the real program answers questions that have
// one right answer by their text: the names of definitions, as another tool
// (universal-ctags) lists them, and lines copied out of the tree. Nothing is
// tuned to the tree that it is asked about.
package exact
