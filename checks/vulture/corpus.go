package vulture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// section is a part of a document that is edited as a whole, or a little. Its
// words stand in no other section, but where that calls a function of it.
type section struct {
	words []string // the one that it is named after first
	text  string
}

// draft is a document as its writer thinks of it. A draft is not changed once
// it is written; edits make another. Its head never changes.
type draft struct {
	ext      string // with its dot
	bare     bool   // has the least head that there is
	small    bool   // of lines that a chunker puts together
	sections []section
}

// extensions are the languages that are written, prose among them.
var extensions = []string{".go", ".py", ".md"}

// header is what stands before the sections.
func (d draft) header() string {
	switch {
	case d.ext == ".go" && d.bare:
		return "package window\n\n"
	case d.ext == ".go":
		return "package window\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\n"
	case d.ext == ".py" && d.bare:
		return "window = None\n\n"
	case d.ext == ".py":
		return "import os\nimport sys\n\n"
	case d.bare:
		return "A window.\n\n"
	}
	return "# Notes of a vulture\n\n"
}

// content returns the bytes of the file.
func (d draft) content() []byte {
	var b bytes.Buffer
	b.WriteString(d.header())
	for _, s := range d.sections {
		b.WriteString(s.text)
	}
	return b.Bytes()
}

func (d draft) words() []string {
	var out []string
	for _, s := range d.sections {
		out = append(out, s.words...)
	}
	return out
}

// author makes drafts. It belongs to one goroutine.
type author struct {
	rng   *rand.Rand
	words words
	// functions are the names of those that were written last, by language, so that
	// others call them.
	functions map[string][]string
	// wanted are words that kept questions ask for, each to be written once.
	wanted []string
}

// wantedShare is one section in how many that has a word which is asked for.
const wantedShare = 24

const (
	// callShare is one function in how many that calls another one.
	callShare = 3
	// maxCallable is how many functions others call: few, so that one has more than one
	// caller, and fewer callers than an answer has passages.
	maxCallable = 6
)

// call returns the line in which a function calls another one, if it does: one of its
// document, or one that was written lately. Later ones call the function itself.
func (a *author) call(d draft, word string) (line string) {
	known := a.functions[d.ext]
	if len(d.sections) > 0 && !d.small && a.rng.IntN(2) == 0 {
		known = []string{d.sections[a.rng.IntN(len(d.sections))].words[0]}
	}
	if len(known) > 0 && a.rng.IntN(callShare) == 0 {
		line = fmt.Sprintf(callForm[d.ext], known[a.rng.IntN(len(known))])
	}
	if a.functions == nil {
		a.functions = map[string][]string{}
	}
	known = append(a.functions[d.ext], word)
	a.functions[d.ext] = known[max(0, len(known)-maxCallable):]
	return line
}

// callForm is the line of a call, by language; called finds the name in it.
var (
	callForm = map[string]string{".go": "\ttotal += %s(input)\n", ".py": "    total += %s(data)\n"}
	called   = regexp.MustCompile(`(?m)^\s+total \+= (q[a-z]{12}x)\((?:input|data)\)$`)
	// defined finds the name that a function is defined under.
	defined = regexp.MustCompile(`(?m)^(?:func|def) (q[a-z]{12}x)\(`)
)

// draft returns a new document. Most are small; the largest come to some
// thirty passages.
func (a *author) draft() draft {
	d := draft{ext: extensions[a.rng.IntN(len(extensions))], bare: a.rng.IntN(2) == 0, small: a.rng.IntN(4) == 0}
	n := 1 + a.rng.IntN(4)
	if a.rng.IntN(8) == 0 {
		n += a.rng.IntN(70)
	}
	for range n {
		d.sections = append(d.sections, a.section(d))
	}
	return d
}

// rewrite returns a document that shares nothing with d but its kind.
func (a *author) rewrite(d draft) draft {
	next := d
	next.sections = nil
	for range 1 + a.rng.IntN(4) {
		next.sections = append(next.sections, a.section(d))
	}
	return next
}

// edit replaces, amends, inserts or removes one section; the others stand as
// they did.
func (a *author) edit(d draft) draft {
	next := d
	next.sections = slices.Clone(d.sections)
	i := a.rng.IntN(len(next.sections))
	switch k := a.rng.IntN(10); {
	case k < 3:
		next.sections[i] = a.section(d)
	case k < 6:
		next.sections[i] = a.amend(d, next.sections[i])
	case k < 8 || len(next.sections) == 1:
		next.sections = slices.Insert(next.sections, i, a.section(d))
	default:
		next.sections = slices.Delete(next.sections, i, i+1)
	}
	return next
}

// maxAmended is how many words a section may have.
const maxAmended = 6

// amend writes one line with a new word into a section, behind its first ones.
func (a *author) amend(d draft, s section) section {
	after := map[string]string{".go": "\ttotal := 0\n", ".py": "    total = 0\n", ".md": ".\n"}[d.ext]
	i := strings.Index(s.text, after)
	if i < 0 || d.small || len(s.words) == maxAmended {
		return a.section(d)
	}
	i += len(after)
	word := a.words.unique()
	line := map[string]string{".go": "\ttotal++ // %s %s\n", ".py": "    total += 1  # %s %s\n", ".md": "Also %s %s.\n"}[d.ext]
	return section{words: append(slices.Clone(s.words), word), text: s.text[:i] + fmt.Sprintf(line, word, a.words.sentence(3)) + s.text[i:]}
}

// extend returns d with one more section at its end.
func (a *author) extend(d draft) draft {
	next := d
	next.sections = append(slices.Clone(d.sections), a.section(d))
	return next
}

// section writes 3 to 30 lines around a new word, or a single one.
func (a *author) section(d draft) section {
	word := a.words.unique()
	if len(a.wanted) > 0 && a.rng.IntN(wantedShare) == 0 {
		word, a.wanted = a.wanted[0], a.wanted[1:]
	}
	var b strings.Builder
	if d.small {
		a.line(&b, d.ext, word)
		return section{words: []string{word}, text: b.String()}
	}
	lines := 1 + a.rng.IntN(6)
	if a.rng.IntN(4) == 0 {
		lines += a.rng.IntN(22)
	}
	switch d.ext {
	case ".go":
		a.goFunction(&b, d, word, lines)
	case ".py":
		a.pythonFunction(&b, d, word, lines)
	default:
		a.prose(&b, word, lines)
	}
	return section{words: []string{word}, text: b.String()}
}

func (a *author) line(b *strings.Builder, ext, word string) {
	form := map[string]string{".go": "const %s = %d // %s\n", ".py": "%s = %d  # %s\n", ".md": "- The %s has %d %s.\n"}[ext]
	fmt.Fprintf(b, form, word, a.rng.IntN(1000), a.words.sentence(4))
}

func (a *author) goFunction(b *strings.Builder, d draft, word string, lines int) {
	fmt.Fprintf(b, "// %s is about %s.\nfunc %s(input []byte) (int, error) {\n\ttotal := 0\n%s", word, a.words.sentence(4), word, a.call(d, word))
	for i := range lines {
		fmt.Fprintf(b, "\tif len(input) > %d { // %s\n\t\ttotal += %d\n\t}\n", i, a.words.sentence(5), a.rng.IntN(1000))
	}
	fmt.Fprintf(b, "\tif total == 0 {\n\t\treturn 0, errors.New(%q)\n\t}\n\treturn total, fmt.Errorf(%q, total)\n}\n\n", a.words.sentence(3), word+" %d")
}

func (a *author) pythonFunction(b *strings.Builder, d draft, word string, lines int) {
	fmt.Fprintf(b, "def %s(data):\n    \"\"\"Tells %s %s.\"\"\"\n    total = 0\n%s", word, a.words.sentence(4), word, a.call(d, word))
	for range lines {
		fmt.Fprintf(b, "    total += len(data) %% %d  # %s\n", 1+a.rng.IntN(1000), a.words.sentence(5))
	}
	fmt.Fprintf(b, "    return total, %q\n\n\n", a.words.sentence(3))
}

func (a *author) prose(b *strings.Builder, word string, lines int) {
	fmt.Fprintf(b, "## %s\n\nThe %s %s.\n", a.words.sentence(3), word, a.words.sentence(6))
	for range lines {
		fmt.Fprintf(b, "%s.\n", a.words.sentence(10))
	}
	b.WriteString("\n")
}
