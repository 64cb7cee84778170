package contract

import (
	"encoding/base64"
	"slices"
	"strings"
	"unique"
)

// MaxSourceRules bounds the text of a file of rules in a source, in bytes. Two of them,
// as there are while one takes the place of the other, fit into the headers of a message.
const MaxSourceRules = 16 << 10

// SourceRules are the rules that stand in a view of a source: texts of document.AccessFile,
// of which there are several while one takes the place of another. What is seen has to
// be shown by each. The zero value is of a source without the file. Equal ones are equal
// by ==.
type SourceRules struct{ packed unique.Handle[string] }

// ClosedRules show nobody anything: those of a file that is there and cannot be used.
var ClosedRules = SourceRules{unique.Make("")}

// textEnds is what stands between two texts.
const textEnds = "\x00"

// SourceRulesOf are the rules of texts; of none, those of a source without the file.
func SourceRulesOf(texts ...string) SourceRules {
	var list []string
	size := 0
	for _, text := range texts {
		if text == "" || strings.Contains(text, textEnds) {
			return ClosedRules
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
			size += len(text)
		}
	}
	switch {
	case len(list) == 0:
		return SourceRules{}
	case size > 2*MaxSourceRules:
		return ClosedRules
	}
	return SourceRules{unique.Make(strings.Join(list, textEnds))}
}

// None reports whether there is no file.
func (r SourceRules) None() bool { return r == SourceRules{} }

// Texts are those that have to show a document; "" is one of a file that cannot be used.
func (r SourceRules) Texts() []string {
	if r.None() {
		return nil
	}
	return strings.Split(r.packed.Value(), textEnds)
}

// And are the rules that show what both do.
func (r SourceRules) And(other SourceRules) SourceRules {
	return SourceRulesOf(append(r.Texts(), other.Texts()...)...)
}

// header is what a message has of them; "" where nobody is shown anything.
func (r SourceRules) header() string {
	if r.None() {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(r.packed.Value()))
}

// sourceRulesOf are those of a message of the file. One that does not tell them shows
// nobody anything.
func sourceRulesOf(op Op, header string) SourceRules {
	if op == OpDelete {
		return SourceRules{}
	}
	text, err := base64.StdEncoding.DecodeString(header)
	if op != OpPut || err != nil {
		return ClosedRules
	}
	return SourceRulesOf(strings.Split(string(text), textEnds)...)
}
