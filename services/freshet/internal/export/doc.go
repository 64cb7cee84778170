// Package export writes what an instance knows into a folder: documents, passages,
// symbols and references, and who may see what. What is written is one state of the log.
//
// It asks as every client does, and sees what who asks may see. Documents are listed, and
// what each is cut into is asked for, some at a time, into a file beside. What has changed
// meanwhile is asked for again, until a list names exactly the versions that are there:
// that list's token is the export's. In memory stands where each document lies in the
// file, and the names that are referred to; never the texts.
package export
