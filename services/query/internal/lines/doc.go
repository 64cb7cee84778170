// Package lines takes lines out of a document, as many as an answer may hold. A
// line ends with a line feed, or with the document.
package lines
