// Package mine makes retrieval tasks of a corpus itself, so that everybody can
// measure on their own files: a doc comment asks for its function, a heading for
// its section, a commit message for the files that it changed, and what was taken
// out of the corpus asks for nothing. What a task asks with is removed from the
// corpus that is written beside the tasks.
package mine
