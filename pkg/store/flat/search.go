package flat

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/dot"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

const (
	// stepRows are compared by one call of the kernel.
	stepRows = 256
	// rangeRows are handed to a worker at a time.
	rangeRows = 8192
	// From parallelRows on a search uses all processors; below, one of them
	// needs less than a millisecond.
	parallelRows = 50_000
)

// Search implements store.Vector. The zero query finds nothing, and with
// k < 1 there are no hits.
func (s *Store) Search(ctx context.Context, query embed.Vector, filter store.Filter, k int) ([]store.Hit, error) {
	view, err := s.View()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if query.IsZero() || k < 1 {
		return nil, nil
	}
	if err := check(query, s.dims); err != nil {
		return nil, err
	}
	asked := dot.NewQuestion(query.Data)
	ranges, rows := cut(view)
	workers := 1
	if rows > parallelRows {
		workers = min(runtime.GOMAXPROCS(0), len(ranges))
	}
	var next atomic.Int64
	var helpers crew
	tops := make([]*segment.TopK, workers)
	for i := range tops {
		tops[i] = segment.NewTopK(k)
		work := func() {
			w := worker{
				kernel: s.kernel, question: asked, scale: float64(query.Scale), filter: filter, top: tops[i],
				matchers: make(map[*vectorPart]*segment.Matcher),
			}
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= len(ranges) {
					return
				}
				w.scan(ranges[n])
			}
		}
		if i == workers-1 {
			work() // the caller's goroutine is one of the workers
		} else {
			helpers.start(work)
		}
	}
	helpers.dismiss()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, t := range tops[1:] {
		tops[0].Take(t)
	}
	return tops[0].Hits(), nil
}

// crew are goroutines that help with work which their starter can do alone. On
// a busy machine a helper may not get its turn before all is done; then nobody
// waits for it.
type crew struct {
	mu        sync.Mutex
	dismissed bool
	working   sync.WaitGroup
}

// start lets a helper work, unless it is dismissed before it begins: then it
// touches nothing.
func (c *crew) start(work func()) {
	go func() {
		c.mu.Lock()
		if c.dismissed {
			c.mu.Unlock()
			return
		}
		c.working.Add(1)
		c.mu.Unlock()
		defer c.working.Done()
		work()
	}()
}

// dismiss waits for the helpers that have begun.
func (c *crew) dismiss() {
	c.mu.Lock()
	c.dismissed = true
	c.mu.Unlock()
	c.working.Wait()
}

type vectorPart = segment.Part[*vectors]

// rowRange is a piece of work: the rows from to to of a part, the latter
// excluded.
type rowRange struct {
	part     *vectorPart
	from, to int
}

// cut divides a view into ranges.
func cut(view *segment.View[*vectors]) (ranges []rowRange, rows int) {
	for _, p := range view.Parts {
		n := p.Rows.Len()
		rows += n
		for from := 0; from < n; from += rangeRows {
			ranges = append(ranges, rowRange{p, from, min(from+rangeRows, n)})
		}
	}
	return ranges, rows
}

// worker scans ranges; it is for one goroutine.
type worker struct {
	kernel   dot.Kernel
	question dot.Question
	scale    float64 // of the query
	filter   store.Filter
	top      *segment.TopK
	matchers map[*vectorPart]*segment.Matcher
	dots     [stepRows]int32
}

func (w *worker) scan(r rowRange) {
	if w.filter.IsZero() {
		for from := r.from; from < r.to; from += stepRows {
			w.step(r.part, from, min(from+stepRows, r.to))
		}
		return
	}
	matcher := w.matchers[r.part]
	if matcher == nil {
		matcher = segment.NewMatcher(r.part.Rows, w.filter)
		w.matchers[r.part] = matcher
	}
	// Rows that pass tend to stand together, as those of one document do:
	// each run of them is one call of the kernel.
	for from := r.from; from < r.to; {
		if !matcher.Match(uint32(from)) {
			from++
			continue
		}
		to := from + 1
		for to < r.to && to < from+stepRows && matcher.Match(uint32(to)) {
			to++
		}
		w.step(r.part, from, to)
		from = to
	}
}

// step compares the rows from to to, which match.
func (w *worker) step(part *vectorPart, from, to int) {
	v := part.Payload
	products := w.dots[:to-from]
	w.kernel.Dot(products, w.question, v.rows(from, to))
	for i, product := range products {
		row := uint32(from + i)
		score := float64(product) * w.scale * float64(v.scale(row))
		if w.top.Wants(score) && !part.Dead.Has(row) {
			w.top.Offer(score, part.Rows, row)
		}
	}
}
