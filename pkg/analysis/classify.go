package analysis

import (
	"regexp"
	"strings"
	"unicode"
)

// Class says what kind of query a text is; channels and signals are weighted
// by it.
type Class string

// The classes.
const (
	Symbol  Class = "symbol"  // a name, or several: parseHTTPHeader, std::vector push_back
	Natural Class = "natural" // words, a question
	Path    Class = "path"    // a file or folder: pkg/store/store.go, *.proto
	Error   Class = "error"   // a message or a stack frame, pasted
)

// Classify returns the class of a query. It looks at the shape only, never at
// an index.
func Classify(text string) Class {
	fields := strings.Fields(text)
	switch {
	case len(fields) == 0:
		return Natural
	case isErrorMessage(text):
		return Error
	case allFields(fields, isPath):
		return Path
	case isSymbolQuery(fields):
		return Symbol
	}
	return Natural
}

func allFields(fields []string, holds func(string) bool) bool {
	for _, f := range fields {
		if !holds(f) {
			return false
		}
	}
	return true
}

// declares are words that stand before a name when a definition is typed.
var declares = wordSet(`
class const def defmodule enum fn func function impl interface let macro
method module namespace object package protocol record struct trait type val
var`)

// isSymbolQuery reports whether a query is one word, or up to four names, of
// which one at least is an identifier by its shape.
func isSymbolQuery(fields []string) bool {
	if len(fields) == 1 {
		return !strings.ContainsFunc(fields[0], func(r rune) bool { return unicode.In(r, unspaced...) }) &&
			strings.ContainsFunc(fields[0], unicode.IsLetter)
	}
	if len(fields) > 4 {
		return false
	}
	declared := declares[fields[0]] && len(fields) == 2
	found := false
	for i, f := range fields {
		named := len(ShapedIdentifiers(f)) > 0
		if !named && !declares[f] && !(declared && i == 1) {
			return false
		}
		found = found || named
	}
	return found || declared
}

// extensions make a single word a file name.
var extensions = wordSet(`
adoc bash bat bazel c cc cfg clj cmake conf cpp cs css csv cxx dart el elm erl
ex exs fs gleam go gradle graphql groovy h hh hpp hrl hs htm html hxx inc ini
ipynb java jl js json jsx kt kts less lock lua m md mjs mk ml mm mod nim nix
pas php pl pm proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql sum
svelte swift tex tf toml ts tsx txt vim vue xml yaml yml zig`)

// fileNames are files without an extension.
var fileNames = wordSet(`dockerfile makefile gemfile rakefile procfile jenkinsfile cmakelists.txt`)

// isWord reports whether an ending is written as a name is, and no extension:
// RWMutex.Lock.
func isWord(ext string) bool {
	return len(ext) > 1 && unicode.IsUpper(rune(ext[0])) && unicode.IsLower(rune(ext[1]))
}

// isPath reports whether a word is a file name, a path or a pattern of paths.
func isPath(word string) bool {
	word = strings.Trim(word, "\"'`,;")
	if fileNames[strings.ToLower(word)] {
		return true
	}
	if strings.Contains(word, "://") || strings.ContainsAny(word, "()<>=") || strings.Contains(word, "::") {
		return false
	}
	slashed := strings.ReplaceAll(word, `\`, "/")
	slashes := strings.Count(slashed, "/")
	last := slashed[strings.LastIndexByte(slashed, '/')+1:]
	stem, ext, dotted := strings.Cut(last, ".")
	if dotted && stem != "" {
		ext = ext[strings.LastIndexByte(ext, '.')+1:]
		if extensions[strings.ToLower(ext)] && !isWord(ext) {
			return true
		}
	}
	if slashes == 0 {
		return false
	}
	for _, start := range []string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(slashed, start) && len(slashed) > len(start) {
			return true
		}
	}
	// read/write and TCP/IP are words; a/b/c, dir/ and dir/* are not.
	return slashes >= 2 || last == "" || strings.Contains(word, "*")
}

// What error messages look like: "error: …", "TypeError: …", "E0382: …",
// "x.go:12:3: …", and the frames of stacks.
var (
	errorForm = regexp.MustCompile(`(?i:^\W*(?:[\w.-]+ ){0,2}(?:error|panic|fatal|exception|traceback|assertion failed)(?: \w+)? ?[:(\[])` +
		`|\b\w*(?:Error|Exception|Fault)\b:|\b[A-Z]{1,4}\d{3,5}:|[\w)]\.\w{1,5}:\d+(?::\d+)?(?:[:\s)]|$)` +
		`|\bat [\w.$<>]+\([\w.]+:\d+\)|\bFile ".*", line \d+|\bgoroutine \d+ \[`)
	errorWords = regexp.MustCompile(`(?i)\b(?:cannot|can't|could not|couldn't|failed to|unable to|no such|not found|not defined|undefined|unexpected|invalid|denied|refused|nil pointer|null pointer|segmentation fault|out of range|out of memory|overflow|is not a|does not exist|already exists|timed out|exceeded|expected)\b`)
	question   = regexp.MustCompile(`(?i)^\W*(?:how|what|where|why|when|which|who|does|do|is|are|can|should|find|show)\b|\?\s*$`)
)

// isErrorMessage reports whether a text was copied from a program's output: it
// has the form of a message, or its words together with a colon and no
// question.
func isErrorMessage(text string) bool {
	if errorForm.MatchString(text) {
		return len(strings.Fields(text)) > 1
	}
	return strings.Contains(text, ": ") && errorWords.MatchString(text) && !question.MatchString(text)
}
