package vulture

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// section is a part of a document that is edited as a whole. Its word stands
// in no other section.
type section struct {
	word string
	text string
}

// draft is a document as its writer thinks of it. A draft is not changed once
// it is written; edits make another.
type draft struct {
	ext      string // with its dot
	sections []section
}

// extensions are the languages that are written, prose among them.
var extensions = []string{".go", ".py", ".md"}

// header is what stands before the sections.
func (d draft) header() string {
	switch d.ext {
	case ".go":
		return "package window\n\nimport (\n\t\"errors\"\n\t\"fmt\"\n)\n\n"
	case ".py":
		return "import os\nimport sys\n\n"
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
	out := make([]string, len(d.sections))
	for i, s := range d.sections {
		out[i] = s.word
	}
	return out
}

// author makes drafts. It belongs to one goroutine.
type author struct {
	rng   *rand.Rand
	words words
}

// draft returns a new document. Most are small; the largest come to some
// thirty passages.
func (a *author) draft() draft {
	d := draft{ext: extensions[a.rng.IntN(len(extensions))]}
	n := 1 + a.rng.IntN(4)
	if a.rng.IntN(8) == 0 {
		n += a.rng.IntN(70)
	}
	for range n {
		d.sections = append(d.sections, a.section(d.ext))
	}
	return d
}

// rewrite returns a document that shares nothing with d but its kind.
func (a *author) rewrite(d draft) draft {
	next := draft{ext: d.ext}
	for range 1 + a.rng.IntN(4) {
		next.sections = append(next.sections, a.section(d.ext))
	}
	return next
}

// edit replaces, inserts or removes one section.
func (a *author) edit(d draft) draft {
	next := draft{ext: d.ext, sections: slices.Clone(d.sections)}
	i := a.rng.IntN(len(next.sections))
	switch k := a.rng.IntN(10); {
	case k < 6:
		next.sections[i] = a.section(d.ext)
	case k < 8 || len(next.sections) == 1:
		next.sections = slices.Insert(next.sections, i, a.section(d.ext))
	default:
		next.sections = slices.Delete(next.sections, i, i+1)
	}
	return next
}

// extend returns d with one more section at its end.
func (a *author) extend(d draft) draft {
	return draft{ext: d.ext, sections: append(slices.Clone(d.sections), a.section(d.ext))}
}

// section writes 3 to 30 lines around a new word.
func (a *author) section(ext string) section {
	word := a.words.unique()
	lines := 1 + a.rng.IntN(6)
	if a.rng.IntN(4) == 0 {
		lines += a.rng.IntN(22)
	}
	var b strings.Builder
	switch ext {
	case ".go":
		a.goFunction(&b, word, lines)
	case ".py":
		a.pythonFunction(&b, word, lines)
	default:
		a.prose(&b, word, lines)
	}
	return section{word: word, text: b.String()}
}

func (a *author) goFunction(b *strings.Builder, word string, lines int) {
	fmt.Fprintf(b, "// %s is about %s.\nfunc %s(input []byte) (int, error) {\n\ttotal := 0\n", word, a.words.sentence(4), word)
	for i := range lines {
		fmt.Fprintf(b, "\tif len(input) > %d { // %s\n\t\ttotal += %d\n\t}\n", i, a.words.sentence(5), a.rng.IntN(1000))
	}
	fmt.Fprintf(b, "\tif total == 0 {\n\t\treturn 0, errors.New(%q)\n\t}\n\treturn total, fmt.Errorf(%q, total)\n}\n\n", a.words.sentence(3), word+" %d")
}

func (a *author) pythonFunction(b *strings.Builder, word string, lines int) {
	fmt.Fprintf(b, "def %s(data):\n    \"\"\"Tells %s %s.\"\"\"\n    total = 0\n", word, a.words.sentence(4), word)
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
