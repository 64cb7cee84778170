// Package grep searches the text of documents line by line, in the log itself:
// no stage of the pipeline needs to have seen them. An answer is exact for one
// state of the log, or lists the documents that it lacks.
package grep
