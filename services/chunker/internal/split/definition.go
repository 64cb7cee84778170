package split

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// keywords introduce a definition in one language or another.
var keywords = map[string]string{
	"def": document.KindFunction, "defp": document.KindFunction, "defn": document.KindFunction, "defn-": document.KindFunction,
	"defun": document.KindFunction, "func": document.KindFunction, "fun": document.KindFunction, "fn": document.KindFunction,
	"function": document.KindFunction, "sub": document.KindFunction, "proc": document.KindFunction, "procedure": document.KindFunction,
	"method": document.KindFunction, "macro": document.KindFunction, "defmacro": document.KindFunction, "defmacrop": document.KindFunction,
	"rpc": document.KindFunction, "define": document.KindFunction, "defmethod": document.KindFunction, "subroutine": document.KindFunction,
	"macro_rules": document.KindFunction, "constructor": document.KindFunction, "modifier": document.KindFunction,
	"class": document.KindClass, "object": document.KindClass, "actor": document.KindClass, "contract": document.KindClass,
	"struct": document.KindType, "interface": document.KindType, "trait": document.KindType, "protocol": document.KindType,
	"enum": document.KindType, "record": document.KindType, "union": document.KindType, "type": document.KindType,
	"typealias": document.KindType, "data": document.KindType, "newtype": document.KindType, "message": document.KindType,
	"service": document.KindType, "extension": document.KindType, "impl": document.KindType, "mixin": document.KindType,
	"instance": document.KindType, "defprotocol": document.KindType, "defrecord": document.KindType, "deftype": document.KindType,
	"defstruct": document.KindType, "typedef": document.KindType, "input": document.KindType,
	"module": document.KindModule, "namespace": document.KindModule, "defmodule": document.KindModule, "package": document.KindModule,
	"val": document.KindVariable, "var": document.KindVariable, "let": document.KindVariable, "const": document.KindVariable,
	"defvar": document.KindVariable, "defconst": document.KindVariable, "defcustom": document.KindVariable,
}

// modifiers may stand before a keyword or a method.
var modifiers = map[string]bool{
	"export": true, "default": true, "public": true, "private": true, "protected": true, "internal": true, "static": true,
	"final": true, "abstract": true, "async": true, "pub": true, "override": true, "open": true, "sealed": true, "partial": true,
	"virtual": true, "inline": true, "unsafe": true, "extern": true, "local": true, "global": true, "fileprivate": true,
	"mutating": true, "required": true, "convenience": true, "lazy": true, "readonly": true, "suspend": true, "operator": true,
	"infix": true, "tailrec": true, "implicit": true, "declare": true, "case": true, "inner": true, "companion": true,
	"value": true, "annotation": true, "external": true, "noncomputed": true, "rec": true, "indirect": true, "recursive": true,
	"native": true, "synchronized": true, "comptime": true, "given": true, "constexpr": true, "explicit": true, "friend": true,
}

// notDefined are words that begin a statement which looks like a method.
var notDefined = map[string]bool{
	"return": true, "if": true, "for": true, "while": true, "switch": true, "else": true, "new": true, "throw": true, "await": true,
	"yield": true, "case": true, "do": true, "try": true, "catch": true, "assert": true, "delete": true, "raise": true, "end": true,
	"puts": true, "print": true, "echo": true, "and": true, "or": true, "not": true, "using": true, "import": true, "goto": true,
	"elif": true, "when": true, "unless": true, "until": true, "with": true, "foreach": true, "in": true, "match": true,
}

// definition tells what a trimmed line defines, if anything. outer says that
// the line stands at the outermost level, where variables count.
func definition(line []byte, outer bool) (kind, name string) {
	if len(line) > 400 {
		line = line[:400]
	}
	rest := line
	if rest[0] == '(' { // (defn name …
		rest = rest[1:]
	}
	for words := 0; words < 6; words++ {
		n := wordLen(rest)
		if n < len(rest) && rest[n] == '-' && n > 0 && string(rest[:n+1]) == "defn-" {
			n++
		}
		if n == 0 {
			break
		}
		word := string(rest[:n])
		after := bytes.TrimLeft(rest[n:], " \t")
		if (word == "data" || word == "enum" || word == "type") && keywords[string(after[:wordLen(after)])] == document.KindClass {
			rest = after // data class, enum class
			continue
		}
		if modifiers[word] && len(after) > 0 {
			if after[0] == '(' { // pub(crate)
				if i := bytes.IndexByte(after, ')'); i > 0 && i < 24 && word == "pub" {
					after = bytes.TrimLeft(after[i+1:], " \t")
				}
			}
			rest = after
			continue
		}
		if strings.EqualFold(word, "create") {
			return created(after)
		}
		kind, ok := keywords[word]
		if !ok || len(after) == 0 || n < len(rest) && rest[n] != ' ' && rest[n] != '\t' && rest[n] != '<' && rest[n] != '!' && word != "constructor" {
			break
		}
		if word == "constructor" {
			return kind, word
		}
		if name = identifier(after); name == "" || name == "=" {
			break
		}
		if kind == document.KindVariable {
			if arrow(after) {
				return document.KindFunction, name
			}
			if !outer {
				return "", ""
			}
		}
		return kind, name
	}
	return shaped(line, outer)
}

// identifier reads the name that b begins with, behind type parameters, a
// receiver or opening parentheses.
func identifier(b []byte) string {
	b = bytes.TrimLeft(b, " \t!")
	if len(b) > 0 && (b[0] == '<' || b[0] == '(') {
		if i := bytes.IndexAny(b, ">)"); i > 0 && b[0] == '<' || i > 0 && bytes.IndexByte(b[1:i], ' ') >= 0 && i+1 < len(b) && b[i+1] == ' ' {
			b = bytes.TrimLeft(b[i+1:], " \t")
		} else {
			b = b[1:]
		}
	}
	for _, mod := range []string{"rec ", "mutable ", "mut ", "self.", "inline "} {
		b = bytes.TrimPrefix(b, []byte(mod))
	}
	n := 0
	for n < len(b) && n < 120 {
		c := b[n]
		if isWord(c) || (c == '.' || c == ':' || c == '-' && n > 0) && n+1 < len(b) && (isWord(b[n+1]) || b[n+1] == ':') || (c == '?' || c == '!') && n > 0 {
			n++
			continue
		}
		break
	}
	return strings.Trim(string(b[:n]), ".:-")
}

// arrow reports whether "name … = …" defines a function.
func arrow(b []byte) bool {
	_, value, ok := bytes.Cut(b, []byte("="))
	if !ok {
		return false
	}
	value = bytes.TrimLeft(value, " \t>")
	return bytes.HasPrefix(value, []byte("function")) || bytes.HasPrefix(value, []byte("async ")) || bytes.Contains(value, []byte("=>")) && len(value) > 0 && (value[0] == '(' || isWord(value[0]))
}

// created reads "CREATE OR REPLACE TABLE IF NOT EXISTS name".
func created(b []byte) (kind, name string) {
	for range 8 {
		n := wordLen(b)
		if n == 0 {
			return "", ""
		}
		word := strings.ToLower(string(b[:n]))
		b = bytes.TrimLeft(b[n:], " \t")
		switch word {
		case "table", "view", "type", "schema", "index", "sequence", "domain", "extension", "database":
			kind = document.KindType
		case "function", "procedure", "trigger":
			kind = document.KindFunction
		case "or", "replace", "temp", "temporary", "unique", "materialized", "if", "not", "exists", "unlogged", "global", "virtual", "concurrently":
		default:
			if kind == "" {
				return "", ""
			}
			return kind, strings.TrimRight(word+trailing(b), ".")
		}
		b = bytes.TrimLeft(b, "\"`[")
	}
	return "", ""
}

// trailing reads ".name" behind a schema.
func trailing(b []byte) string {
	if len(b) > 1 && b[0] == '.' {
		return "." + strings.ToLower(string(b[1:1+wordLen(b[1:])]))
	}
	return ""
}

// shaped recognises definitions by their form: "name() {", "Type name(…) {",
// "name :: Type", "name = function", "name <- function".
func shaped(line []byte, outer bool) (kind, name string) {
	n := wordLen(line)
	if n == 0 || notDefined[string(line[:n])] {
		return "", ""
	}
	after := bytes.TrimLeft(line[n:], " \t")
	switch {
	case outer && bytes.HasPrefix(after, []byte(":: ")):
		return document.KindFunction, string(line[:n])
	case bytes.HasPrefix(after, []byte("() {")), bytes.HasPrefix(after, []byte("(){")), string(after) == "()":
		return document.KindFunction, string(line[:n])
	case bytes.HasPrefix(after, []byte("= function(")), bytes.HasPrefix(after, []byte("= function (")), bytes.HasPrefix(after, []byte("<- function")):
		return document.KindFunction, string(line[:n])
	}
	open := bytes.IndexByte(line, '(')
	last := line[len(line)-1]
	if open <= 0 || last == ';' && !outer || last == ',' || last == '.' || bytes.IndexByte(line[:open], '=') >= 0 {
		return "", ""
	}
	if last != '{' && last != ')' && last != ';' && last != '(' {
		return "", ""
	}
	head := bytes.TrimRight(line[:open], " \t")
	start := len(head)
	for start > 0 && (isWord(head[start-1]) || head[start-1] == ':' || head[start-1] == '~') {
		start--
	}
	// A type has to stand before the name, or it is a call.
	before := bytes.TrimRight(head[:start], " \t*&")
	if start == len(head) || len(before) == 0 || !isWord(before[len(before)-1]) && !bytes.ContainsRune([]byte(">]?"), rune(before[len(before)-1])) {
		return "", ""
	}
	return document.KindFunction, strings.ReplaceAll(strings.Trim(string(head[start:]), ":"), "::", ".")
}

// entry tells what a line of a data language begins: a section or a key.
func entry(line []byte) (kind, name string) {
	switch line[0] {
	case '[':
		if i := bytes.IndexByte(line, ']'); i > 1 && i < longestName && len(bytes.Trim(line[i:], "]")) == 0 { // [[x]] of TOML, too
			return document.KindBlock, strings.Trim(string(line), "[]")
		}
		return "", ""
	case '#', '<', '/', '{', '}':
		return "", ""
	}
	n := wordLen(line)
	if n > 0 && line[len(line)-1] == '{' && bytes.Count(line, []byte{'"'}) >= 2 { // resource "type" "name" {
		parts := strings.Split(string(line), "\"")
		name = parts[1]
		if len(parts) > 3 {
			name += "." + parts[3]
		}
		return document.KindBlock, name
	}
	for n < len(line) && (isWord(line[n]) || line[n] == '-' || line[n] == '.' || line[n] == '"' || line[n] == '/') {
		n++
	}
	if n > 0 && n < 100 && n < len(line) && line[n] == ':' && (n+1 == len(line) || line[n+1] == ' ') {
		return document.KindBlock, strings.Trim(string(line[:n]), "\"- ")
	}
	return "", ""
}
