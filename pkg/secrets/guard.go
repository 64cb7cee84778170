package secrets

import (
	"slices"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Guard decides what of a text may go to a model of somebody's server, and counts. It is
// safe for concurrent use; a nil Guard lets everything through.
type Guard struct {
	cfg     config.Outgoing
	scanner *Scanner

	redacted, skipped, refused atomic.Uint64
}

// NewGuard returns the guard of a section.
func NewGuard(c config.Outgoing) (*Guard, error) {
	s, err := NewScanner(c.Personal)
	if err != nil {
		return nil, err
	}
	return &Guard{cfg: c, scanner: s}, nil
}

// Text is what may go of a text that may be of several sources, or of none, as a question
// is. It is as it was where all of them send their secrets.
func (g *Guard) Text(text string, of ...document.Source) string {
	if g == nil || g.sends(of) {
		return text
	}
	found := g.scanner.Find(text)
	if len(found) > 0 {
		g.redacted.Add(1)
	}
	return Redact(text, found)
}

// Secrets are what must not go of a text, as Text says, the longest first.
func (g *Guard) Secrets(text string, of ...document.Source) (out []string) {
	if g == nil || g.sends(of) {
		return nil
	}
	for _, f := range g.scanner.Find(text) {
		out = append(out, text[f.Start:f.End])
	}
	if len(out) > 0 {
		g.redacted.Add(1)
	}
	slices.SortStableFunc(out, func(a, b string) int { return len(b) - len(a) })
	return out
}

func (g *Guard) sends(of []document.Source) bool {
	if len(of) == 0 {
		return g.cfg.Any() == config.SecretsSend
	}
	for _, s := range of {
		if g.cfg.Of(s) != config.SecretsSend {
			return false
		}
	}
	return true
}

// Passages decides over the passages of a text. It is not safe for concurrent use.
type Passages struct {
	guard *Guard
	what  string
	text  string
	read  *Document // nil until a passage is looked at
}

// Passages begins with a text of a source.
func (g *Guard) Passages(source document.Source, text []byte) *Passages {
	if g == nil || g.cfg.Of(source) == config.SecretsSend {
		return nil
	}
	return &Passages{guard: g, what: g.cfg.Of(source), text: string(text)}
}

// Passage returns what may go of the text from start to end, composed with what else
// stands in front of it; ok is false where that is nothing. The error says that the
// document is refused, and why.
func (p *Passages) Passage(path document.Path, start, end, line int, compose func(text []byte) string) (text string, ok bool, err error) {
	if p.read == nil {
		p.read = p.guard.scanner.Of(p.text)
	}
	g := p.guard
	found := p.read.In(start, end)
	body := Redact(p.text[start:end], found)
	whole := compose([]byte(body))
	more := g.scanner.Find(whole) // in the path, in headings, in the line of a definition
	if len(found)+len(more) == 0 {
		return whole, true, nil
	}
	switch p.what {
	case config.SecretsSkip:
		g.skipped.Add(1)
		return "", false, nil
	case config.SecretsRefuse:
		var kind string
		if len(found) > 0 {
			kind = found[0].Rule
			for _, c := range p.text[start : start+found[0].Start] {
				if c == '\n' {
					line++
				}
			}
		} else {
			kind = more[0].Rule
		}
		return "", false, document.Errorf(document.InvalidRequest, "%s has a secret near line %d (%s), and nothing of such a document goes to the server that makes vectors: take it out, or leave its source out of outgoing.refuse", path, line, kind)
	}
	g.redacted.Add(1)
	return Redact(whole, more), true, nil
}

// Refused counts a document of which nothing was sent.
func (g *Guard) Refused() { g.refused.Add(1) }

// Counters are how many texts something was taken out of, how many passages and how many
// documents were not sent, by the names that reports have for them.
func (g *Guard) Counters() map[string]uint64 {
	if g == nil {
		return nil
	}
	return map[string]uint64{
		"secrets_redacted": g.redacted.Load(), "secrets_skipped": g.skipped.Load(), "secrets_refused": g.refused.Load(),
	}
}
