// Package exact measures how well the real program answers questions that have
// one right answer by their text: the names of definitions, as another tool
// (universal-ctags) lists them, lines copied out of the tree, those that define something by themselves, and lines that a
// frame of a stack or a message of a compiler names. Nothing is tuned to the tree
// that it is asked about.
package exact
