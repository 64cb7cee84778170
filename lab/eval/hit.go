package eval

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Hit is a hit of an answer, as far as measures look at it.
type Hit struct {
	Source    document.Source `json:"source"`
	Path      string          `json:"path"` // relative to the root of its source, as the file system has it
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	Headings  []string        `json:"headings,omitempty"`
	Score     float64         `json:"score"`
	// Copies are the passages that the hit stands for: whoever reads it has read
	// them.
	Copies []Hit `json:"copies,omitempty"`
}

// HitOf is a hit of a reply.
func HitOf(h *contract.Hit) Hit {
	out := Hit{Source: h.Source, Path: h.Path.Raw(), StartLine: h.StartLine, EndLine: h.EndLine, Headings: h.Headings, Score: h.Score}
	for _, c := range h.Copies {
		out.Copies = append(out.Copies, Hit{Source: c.Source, Path: c.Path.Raw(), StartLine: c.StartLine, EndLine: c.EndLine, Headings: h.Headings})
	}
	return out
}

// Answer is what came to one task.
type Answer struct {
	ID    string `json:"id"`
	Query string `json:"query"`
	Hits  []Hit  `json:"hits"`
	Class string `json:"class,omitempty"`
	// Confidence is the probability that the answer is among the hits, where
	// the reply states one.
	Confidence *float64 `json:"confidence,omitempty"`
	// Nothing is true where the reply says that nothing in it is relevant.
	Nothing bool `json:"nothing_relevant,omitempty"`
	// MS are milliseconds from the request to the answer in this process, over
	// NATS; ServiceMS those within the query service.
	MS        float64 `json:"ms"`
	ServiceMS float64 `json:"service_ms"`
	// First marks the first question of those asked together.
	First bool `json:"first,omitempty"`
	// Pending counts documents that were not in both indexes yet.
	Pending  int      `json:"pending,omitempty"`
	Degraded []string `json:"degraded,omitempty"`
	// Error is why there is no answer; it counts as one without hits.
	Error string `json:"error,omitempty"`
}

// Abstains reports whether the answer says that there is nothing.
func (a *Answer) Abstains() bool { return len(a.Hits) == 0 || a.Nothing }
