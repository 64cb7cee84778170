// Package language is the one place that knows languages: their names, how a
// file tells its own, what people call them, and what a program that is not a
// parser has to know of them. It imports nothing of freshet but the vocabulary.
package language

import (
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Text is the name of what is in no other language.
const Text = "text"

// Language says what is known of a language. All of it may be read
// concurrently.
type Language struct {
	Name string // as passages carry it
	// LineComment is what begins a comment that ends with its line.
	LineComment string
	// Quoted says that '…' is a string, not a character or a lifetime.
	Quoted bool
	// Data is of keys and values, with neither imports nor definitions that a
	// keyword begins.
	Data bool
	// Prose is written for people.
	Prose bool
	// Grammar says that there is a parser for it.
	Grammar bool
	// Version changes when its documents are to be cut again; 0: as they were when the
	// chunker's signature was last changed.
	Version int
}

// GrammarOf names the language of a path with the version of how it is cut, as headers
// have it: "kotlin-1"; "" where that is version 0. Only the path counts, so that who
// knows it knows without the content whether a document is to be cut again.
func GrammarOf(path document.Path) string {
	if l := known[OfPath(path)]; l.Version > 0 {
		return l.Name + "-" + strconv.Itoa(l.Version)
	}
	return ""
}

// known are the languages by name, and what tells them.
var known, byExtension, byFile, byPrefix, byInterpreter = index()

func index() (languages map[string]Language, extensions, files, prefixes, interpreters map[string]string) {
	languages = make(map[string]Language, len(table))
	extensions, files, prefixes, interpreters = map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	for _, r := range table {
		l := Language{Name: r.name, LineComment: r.comment, Quoted: r.quoted, Data: r.data, Prose: r.prose, Grammar: r.grammar, Version: r.version}
		if l.LineComment == "" {
			l.LineComment = "//"
		}
		languages[r.name] = l
		note(extensions, r.extensions, r.name)
		note(files, r.files, r.name)
		note(prefixes, r.prefixes, r.name)
		note(interpreters, r.interpreters, r.name)
	}
	return
}

func note(into map[string]string, words, name string) {
	for w := range strings.FieldsSeq(words) {
		into[w] = name
	}
}

// Get returns what is known of a language; of one that the table lacks, only
// its name and the most frequent comment.
func Get(name string) Language {
	if l, ok := known[name]; ok {
		return l
	}
	return Language{Name: name, LineComment: "//"}
}

// Names are those of all languages, sorted.
func Names() []string {
	out := make([]string, len(table))
	for i, r := range table {
		out[i] = r.name
	}
	slices.Sort(out)
	return out
}

// OfExtension returns the name of the language that an extension (with or
// without its dot, in lower case) stands for; "" where it is not known.
func OfExtension(ext string) string { return byExtension[strings.TrimPrefix(ext, ".")] }

// OfPath returns the name of the language that a path tells; "" where it tells
// none.
func OfPath(path document.Path) string {
	base := path.Base()
	if l, ok := byFile[base]; ok {
		return l
	}
	if ext := strings.TrimPrefix(path.Ext(), "."); ext != "" {
		if l, ok := byExtension[ext]; ok {
			return l
		}
	}
	for prefix, l := range byPrefix {
		if strings.HasPrefix(base, prefix) {
			return l
		}
	}
	return ""
}
