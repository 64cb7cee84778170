package resolve

import (
	"cmp"
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Graded returns those of passages whose text, as the log has it, is graded above
// zero, with the grade as their score: the best first, else in their order. ErrLate,
// beside the others, where there was no time for all texts.
func (r *Reader) Graded(ctx context.Context, found []candidate.Found, grade func(text []byte) float64) ([]candidate.Found, error) {
	return r.GradedBy(ctx, found, func(_ *candidate.Found, _ *document.Span, text []byte) float64 { return grade(text) })
}

// GradedBy is Graded where more than the text counts. The span is nil for plain lines, and
// the text, too, for what the log does not have any more.
func (r *Reader) GradedBy(ctx context.Context, found []candidate.Found, grade func(f *candidate.Found, span *document.Span, text []byte) float64) ([]candidate.Found, error) {
	var keys []DocKey
	seen := map[DocKey]bool{}
	for i := range found {
		if k := KeyOf(&found[i]); found[i].Window == nil && !seen[k] {
			seen[k] = true
			keys = append(keys, k)
		}
	}
	bodies, err := r.Chunks(ctx, keys)
	if err != nil {
		return nil, err
	}
	var out []candidate.Found
	late := false
	for _, f := range found {
		late = late || bodies[KeyOf(&f)].Late()
		var text []byte
		var span *document.Span
		if f.Window != nil {
			text = f.Window.Text
		} else if chunk, in := bodies[KeyOf(&f)].find(f.ID); chunk != nil {
			span, text = &chunk.Span, in.bytes[chunk.StartByte:chunk.EndByte]
		}
		if f.Score = grade(&f, span, text); f.Score > 0 {
			out = append(out, f)
		}
	}
	slices.SortStableFunc(out, func(a, b candidate.Found) int { return cmp.Compare(b.Score, a.Score) })
	if late {
		return out, ErrLate
	}
	return out, nil
}
