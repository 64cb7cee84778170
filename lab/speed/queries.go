package speed

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Queries are delays of queries over NATS, from a client process.
type Queries struct {
	Plain    Spread `json:"plain"`
	Filtered Spread `json:"filtered"`
	Filter   string `json:"filter"`
	Distinct int    `json:"distinct_queries"`
	Empty    int    `json:"without_hits"`
	// Stages are the mean milliseconds of each stage, by the answers' traces,
	// of the queries without a filter.
	Stages map[string]float64 `json:"stages_ms"`
	// Pending is the mean number of documents that an answer without a filter
	// lists as pending.
	Pending float64 `json:"pending"`
}

// asker asks the same queries in each measurement: the questions, and symbols
// that the tree defines.
type asker struct {
	instance *instance
	queries  []string
	filter   contract.Filter
	empty    int
}

// asked is what n queries came to.
type asked struct {
	delays  []time.Duration
	stages  map[string]float64 // sums in ms
	pending int
}

// newAsker collects up to n different queries. The symbols are those of the
// answers to the questions, so that they exist whatever the tree is.
func newAsker(ctx context.Context, c *instance, n int) (*asker, error) {
	a := &asker{instance: c}
	languages, folders := map[string]int{}, map[string]int{}
	var symbols []string
	k := 100
	for _, q := range questions {
		rep, err := c.search(ctx, contract.SearchRequest{Query: q, K: &k, Text: contract.TextNone})
		if err != nil {
			return nil, fmt.Errorf("collect queries: %w", err)
		}
		for _, h := range rep.Hits {
			languages[h.Language]++
			if folder, _, below := strings.Cut(string(h.Path), "/"); below {
				folders[folder]++
			}
			if symbol, _ := h.Indexed(); symbol != "" {
				symbols = append(symbols, symbol)
			}
		}
	}
	slices.Sort(symbols)
	symbols = slices.Compact(symbols)
	a.queries = slices.Clone(questions[:min(n, len(questions))])
	// Evenly over the alphabet, so that a smaller n is no other mixture.
	for want, i := n-len(a.queries), 0; i < min(want, len(symbols)); i++ {
		a.queries = append(a.queries, symbols[i*len(symbols)/min(want, len(symbols))])
	}
	shuffle := rand.New(rand.NewPCG(seed, seed))
	shuffle.Shuffle(len(a.queries), func(i, j int) { a.queries[i], a.queries[j] = a.queries[j], a.queries[i] })
	if l := most(languages); l != "" {
		a.filter.Languages = []string{l}
	}
	if f := most(folders); f != "" {
		a.filter.Paths = []string{f}
	}
	return a, nil
}

// most returns the key with the highest count; of equal ones the first.
func most(counts map[string]int) string {
	best := ""
	for key, n := range counts {
		if key != "" && (n > counts[best] || n == counts[best] && key < best) {
			best = key
		}
	}
	return best
}

// ask asks n queries one after the other, or fewer when more says no.
// Questions and symbols are mixed.
func (a *asker) ask(ctx context.Context, n int, filter contract.Filter, more func() bool) (asked, error) {
	out := asked{stages: map[string]float64{}}
	for i := range n {
		if !more() {
			break
		}
		q := a.queries[i%len(a.queries)]
		begin := time.Now()
		rep, err := a.instance.search(ctx, contract.SearchRequest{Query: q, Filter: filter})
		if err != nil {
			return asked{}, fmt.Errorf("query %q: %w", q, err)
		}
		out.delays = append(out.delays, time.Since(begin))
		out.pending += len(rep.Pending)
		for _, t := range rep.Trace {
			out.stages[t.Stage] += t.MS
		}
		if len(rep.Hits) == 0 {
			a.empty++
		}
	}
	return out, nil
}

// measure asks n queries without and n with a filter.
func (a *asker) measure(ctx context.Context, n int, more func() bool) (Queries, error) {
	a.empty = 0
	plain, err := a.ask(ctx, n, contract.Filter{}, more)
	if err != nil {
		return Queries{}, err
	}
	filtered, err := a.ask(ctx, n, a.filter, more)
	if err != nil {
		return Queries{}, err
	}
	out := Queries{
		Plain: spreadOf(plain.delays, 0), Filtered: spreadOf(filtered.delays, 0),
		Filter: describe(a.filter), Distinct: len(a.queries), Empty: a.empty, Stages: map[string]float64{},
	}
	if asks := float64(len(plain.delays)); asks > 0 {
		out.Pending = float64(plain.pending) / asks
		for stage, sum := range plain.stages {
			out.Stages[stage] = sum / asks
		}
	}
	return out, nil
}

func describe(f contract.Filter) string {
	var parts []string
	for _, l := range f.Languages {
		parts = append(parts, "lang:"+l)
	}
	for _, p := range f.Paths {
		parts = append(parts, "path:"+p)
	}
	return strings.Join(parts, " ")
}
