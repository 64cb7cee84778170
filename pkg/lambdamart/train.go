package lambdamart

import (
	"context"
	"math"
	"math/rand/v2"
)

// Query are the candidates of one query in the order that they had: a row of
// features for each, what it is worth to find it, 0 for nothing, and which goal
// that reaches. A goal is reached once, by the first of its candidates; the
// others are then worth nothing.
type Query struct {
	Rows  [][]float64
	Gains []float64
	Goals []int
}

// Options say how a model is trained. The same queries and options give the
// same model.
type Options struct {
	Base      int     // see Model
	Scale     float64 // see Model
	Trees     int     // at most
	Leaves    int     // of a tree, at most
	LeastRows int     // of a leaf
	Rate      float64 // what of a tree counts
	Ridge     float64 // added to each leaf's curvature: what few rows say is held back
	Share     float64 // of the features that one tree may look at, above 0 up to 1
	// Patience is how many trees without a gain on the queries to check end the
	// training.
	Patience int
	Seed     uint64
}

// DefaultOptions suit some hundreds to some thousands of queries with tens of
// candidates.
func DefaultOptions() Options {
	return Options{Scale: 5, Trees: 200, Leaves: 8, LeastRows: 40, Rate: .1, Ridge: 1, Share: .7, Patience: 25, Seed: 1}
}

// Train grows trees on the queries of fit. Where there are some to check, it
// ends when their NDCG@10 rises no more, and returns the trees up to where it
// was highest: none where no tree is a gain. Without, all trees are kept.
func Train(ctx context.Context, fit, check []Query, o Options) (Model, error) {
	m := Model{Base: o.Base, Scale: o.Scale}
	rows := newRows(fit)
	if rows.count == 0 {
		return m, nil
	}
	random := rand.New(rand.NewPCG(o.Seed, o.Seed))
	scores, checked := start(fit, &m), start(check, &m)
	best, keep := meanNDCG(check, checked), 0
	for len(m.Trees) < o.Trees {
		if err := ctx.Err(); err != nil {
			return m, err
		}
		rows.slopes(fit, scores)
		t := rows.grow(&o, chosen(random, len(rows.columns), o.Share))
		if len(t.Feature) == 0 {
			break // nothing is left to learn
		}
		m.Trees = append(m.Trees, t)
		add(fit, scores, &t)
		add(check, checked, &t)
		if now := meanNDCG(check, checked); now > best+1e-6 {
			best, keep = now, len(m.Trees)
		} else if len(check) > 0 && len(m.Trees)-keep >= o.Patience {
			break
		}
	}
	if len(check) > 0 {
		m.Trees = m.Trees[:keep]
	}
	return m, nil
}

func start(queries []Query, m *Model) [][]float64 {
	out := make([][]float64, len(queries))
	for i := range queries {
		out[i] = make([]float64, len(queries[i].Rows))
		for j, row := range queries[i].Rows {
			out[i][j] = m.Scale * row[m.Base]
		}
	}
	return out
}

func add(queries []Query, scores [][]float64, t *Tree) {
	for i := range queries {
		for j, row := range queries[i].Rows {
			scores[i][j] += t.at(row)
		}
	}
}

// chosen draws the features of one tree.
func chosen(random *rand.Rand, features int, share float64) []int {
	return random.Perm(features)[:max(1, int(math.Ceil(share*float64(features))))]
}

// slopes sets the gradient and the curvature of every row: for each pair of
// candidates, how surely their order is wrong, times what exchanging them is
// worth.
func (r *rows) slopes(queries []Query, scores [][]float64) {
	clear(r.slope)
	clear(r.curve)
	for i := range queries {
		score := scores[i]
		best := queries[i].ideal()
		if best == 0 {
			continue
		}
		order := ordered(score)
		gains := queries[i].counted(order)
		rank := make([]int, len(gains))
		for at, row := range order {
			rank[row] = at
		}
		first := r.first[i]
		for a := range gains {
			for b := range gains {
				if gains[a] <= gains[b] {
					continue
				}
				worth := (gains[a] - gains[b]) * math.Abs(discount(rank[a])-discount(rank[b])) / best
				if worth == 0 {
					continue
				}
				wrong := 1 / (1 + math.Exp(score[a]-score[b]))
				r.slope[first+a] += worth * wrong
				r.slope[first+b] -= worth * wrong
				r.curve[first+a] += worth * wrong * (1 - wrong)
				r.curve[first+b] += worth * wrong * (1 - wrong)
			}
		}
	}
}
