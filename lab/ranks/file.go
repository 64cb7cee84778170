package ranks

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// How the lines of a file begin.
const (
	comment  = "# "
	madeOf   = "made of "
	question = "? "
	hit      = "  "
)

// anew is how every refusal of a file ends.
const anew = "write it anew with `make ranks UPDATE=yes`"

// Write writes the ranks into a file, a line for each hit, so that a change of
// the ranking is read as a difference of lines.
func (r *Ranks) Write(file string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, comment+"The first ten hits of each question of the task set %s, as path:first-last.\n", r.Set)
	fmt.Fprintf(&b, comment+"`make ranks` compares, `make ranks UPDATE=yes` writes.\n")
	for _, m := range r.Made {
		fmt.Fprintf(&b, "%s%s\n", madeOf, m)
	}
	for _, q := range r.Questions {
		fmt.Fprintf(&b, "%s%s %s\n", question, q.ID, q.Text)
		for _, h := range q.Hits {
			fmt.Fprintf(&b, "%s%s\n", hit, h)
		}
	}
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		return document.Errorf(document.Forbidden, "cannot write the ranks: %w: name a file that can be written", err)
	}
	return nil
}

// Read reads what Write wrote.
func Read(file string) (*Ranks, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the ranks: %w: %s", err, anew)
	}
	r := &Ranks{}
	n := 0
	for line := range strings.Lines(string(raw)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, comment) {
			continue
		}
		if m, ok := strings.CutPrefix(line, madeOf); ok {
			r.Made = append(r.Made, m)
			continue
		}
		if h, ok := strings.CutPrefix(line, hit); ok && len(r.Questions) > 0 {
			q := &r.Questions[len(r.Questions)-1]
			q.Hits = append(q.Hits, h)
			continue
		}
		text, ok := strings.CutPrefix(line, question)
		id, text, found := strings.Cut(text, " ")
		if !ok || !found {
			return nil, document.Errorf(document.InvalidRequest, "line %d of %s is no part of a file of ranks: %s", n, file, anew)
		}
		r.Questions = append(r.Questions, Question{ID: id, Text: text})
	}
	return r, nil
}
