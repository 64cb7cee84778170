package language

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Detect names the language of a content by its path or its first line ("#!…").
// It is Text where nothing is known.
func Detect(path document.Path, content []byte) string {
	switch l := OfPath(path); {
	case l == "c" && path.Ext() == ".h" && looksLikeCPP(content):
		return "cpp"
	case l == "roff" && !looksLikeRoff(content):
		return Text // app.log.1
	case l != "":
		return l
	}
	if l := shebang(content); l != "" {
		return l
	}
	return Text
}

// looksLikeRoff tells a manual page from what is numbered for another reason.
func looksLikeRoff(content []byte) bool {
	head := content[:min(len(content), 16<<10)]
	for line := range bytes.Lines(head) {
		if bytes.HasPrefix(line, []byte(".TH ")) || bytes.HasPrefix(line, []byte(".Dd ")) || bytes.HasPrefix(line, []byte(".SH ")) || bytes.HasPrefix(line, []byte(".Sh ")) {
			return true
		}
	}
	return len(content) == 0
}

// looksLikeCPP tells a C++ header from a C header by words that only the
// former has at the beginning of a line.
func looksLikeCPP(content []byte) bool {
	head := content[:min(len(content), 16<<10)]
	for line := range bytes.Lines(head) {
		line = bytes.TrimLeft(line, " \t")
		for _, word := range cppWords {
			if bytes.HasPrefix(line, word) {
				return true
			}
		}
	}
	return false
}

var cppWords = [][]byte{
	[]byte("class "), []byte("namespace "), []byte("template<"), []byte("template <"),
	[]byte("using "), []byte("public:"), []byte("private:"), []byte("protected:"), []byte("#include <string>"), []byte("#include <vector>"),
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// shebang reads the interpreter from "#!/usr/bin/env -S NAME" or "#!/bin/NAME".
func shebang(content []byte) string {
	content = bytes.TrimPrefix(content, byteOrderMark)
	if !bytes.HasPrefix(content, []byte("#!")) {
		return ""
	}
	line, _, _ := bytes.Cut(content[:min(len(content), 256)], []byte("\n"))
	for i, word := range strings.Fields(string(line[2:])) {
		name := word[strings.LastIndexByte(word, '/')+1:]
		if i > 0 && strings.HasPrefix(word, "-") || name == "env" || strings.Contains(word, "=") {
			continue
		}
		return byInterpreter[strings.TrimRight(name, "0123456789.")]
	}
	return ""
}
