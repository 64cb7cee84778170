package rank

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Priorities say what the documents of a source, or some of them, count beside
// others. None is as good as nil. They are safe for concurrent use.
type Priorities []priority

type priority struct {
	source     document.Source     // empty: all
	collection document.Collection // empty: all
	paths      *pathset.Set
	has        document.Metadata
	factor     float64
}

// NewPriorities prepares what is configured. An error is an InvalidRequest.
func NewPriorities(list []config.Priority) (Priorities, error) {
	if err := config.ValidatePriorities(list); err != nil {
		return nil, err
	}
	var out Priorities
	for _, e := range list {
		var entries []string
		if e.Path != "" {
			entries = append(entries, e.Path)
		}
		paths, err := pathset.Parse(entries)
		if err != nil {
			return nil, err
		}
		has, err := e.Metadata()
		if err != nil {
			return nil, err
		}
		out = append(out, priority{document.Source(e.Source), document.Collection(e.Collection), paths, has, e.Factor})
	}
	return out, nil
}

// WeighMetadata reports whether any of them looks at it.
func (p Priorities) WeighMetadata() bool {
	return slices.ContainsFunc(p, func(e priority) bool { return len(e.has) > 0 })
}

// factor is the product of all that fit a document; 1 where none does.
func (p Priorities) factor(source document.Source, collection document.Collection, doc document.Path, has document.PackedMetadata) float64 {
	product := 1.0
	for i := range p {
		if e := &p[i]; (e.source == "" || e.source == source) && (e.collection == "" || e.collection == collection) && e.paths.Match(doc) && has.Fits(e.has) {
			product *= e.factor
		}
	}
	return product
}
