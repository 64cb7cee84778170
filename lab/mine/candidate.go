package mine

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
)

// candidate is a question and its target in a file as it was found.
type candidate struct {
	kind       string
	name       string // of the target, "" for a heading
	query      string
	start, end int // lines of the target, before any cut
	cut        cut // what takes the question out of the file
}

// miner finds the questions of files.
type miner struct {
	corpus *corpus
	cutter *cutter.Cutter
	asked  map[string]bool // questions that stand in a task
	tally  *tally
}

// leastLines is the length of a function that is worth finding.
const leastLines = 3

// functions finds the questions that the doc comments of a file ask.
func (m *miner) functions(ctx context.Context, f file, content []byte) ([]candidate, error) {
	if !language.Get(f.language).Grammar {
		return nil, nil
	}
	lines, ok := linesOf(content)
	if !ok || isAside(f.name) || isGenerated(content) {
		m.tally.leave(KindDocstring, undesired, 1)
		return nil, nil
	}
	list, why, err := m.cutter.Definitions(ctx, document.EncodePath(f.name), content)
	if err != nil {
		return nil, err
	}
	if why != "" {
		m.tally.leave(KindDocstring, unparsed, 1)
		return nil, nil
	}
	var out []candidate
	for _, d := range list {
		if d.DocStart == 0 || d.DocEnd > len(lines) {
			continue
		}
		doc := lines[d.DocStart-1 : d.DocEnd]
		query, why := judgeDoc(f.language, d.Symbol, prose(f.language, doc))
		length := d.End - d.Start + 1
		if d.DocStart >= d.Start {
			length -= d.DocEnd - d.DocStart + 1
		}
		switch {
		case why != "":
		case length < leastLines:
			why = tooSmall
		case m.repeats(doc) || m.asked[query]:
			why = elsewhere
		}
		if why != "" {
			m.tally.leave(KindDocstring, why, 1)
			continue
		}
		out = append(out, candidate{
			kind: KindDocstring, name: bareName(d.Symbol), query: query, start: d.Start, end: d.End,
			cut: cut{first: d.DocStart, last: d.DocEnd},
		})
	}
	return out, nil
}

// repeats reports whether one of the first lines of a doc comment, which the
// question is from, stands in the corpus a second time.
func (m *miner) repeats(doc []string) bool {
	for _, line := range doc[:min(len(doc), 3)] {
		if m.corpus.repeated(line) {
			return true
		}
	}
	return false
}

// sections finds the questions that the headings of a Markdown file ask.
func (m *miner) sections(f file, content []byte) []candidate {
	if f.language != "markdown" {
		return nil
	}
	lines, ok := linesOf(content)
	if !ok || isAside(f.name) || isGenerated(content) || isFormal(f.name) {
		m.tally.leave(KindHeading, undesired, 1)
		return nil
	}
	var out []candidate
	for _, h := range headings(lines) {
		why := judgeHeading(h)
		switch {
		case why != "":
		case m.corpus.repeated(lines[h.line-1]) || m.asked[h.text]:
			why = elsewhere
		case wordsIn(lines[h.line:h.end]) < leastSection:
			why = tooSmall
		}
		if why != "" {
			m.tally.leave(KindHeading, why, 1)
			continue
		}
		out = append(out, candidate{
			kind: KindHeading, query: h.text, start: h.line, end: h.end,
			cut: cut{first: h.line, last: h.line, by: h.mark, replace: true},
		})
	}
	return out
}

// of finds the questions of a file, of whichever kind it has.
func (m *miner) of(ctx context.Context, f file) ([]candidate, error) {
	content, err := m.corpus.read(f.name)
	if err != nil {
		return nil, err
	}
	if f.language == "markdown" {
		return m.sections(f, content), nil
	}
	return m.functions(ctx, f, content)
}
