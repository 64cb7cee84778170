package tune

import (
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// others are weights that stand for themselves and are no signal: what was asked
// for exactly stands above the order, the rest says how much signals count.
var others = []string{"verbatim", "named", "place", "prose", "long"}

// signals are the weights that switch a signal of the ranking off, each at its
// neutral value. Weights that refine one are named after it: stem_near.
var signals = func() (out []string) {
	for _, k := range knobs() {
		if k.key == "penalty_power" || !strings.Contains(k.key, "_") && !slices.Contains(others, k.key) {
			out = append(out, k.key)
		}
	}
	return out
}()

// parts are weights that refine a signal, and are taken out alone.
var parts = []string{"stem_near", "saturation_lead"}

// Variation is an order with weights that differ from the usual ones.
type Variation struct {
	Name    string
	Weights config.Ranking
}

// Ablations are each signal added to the two engines fused, each taken out of
// the whole, and the other fusion. The first is the whole itself: what it
// differs by from the program's own answers comes of replaying.
func Ablations(w config.Ranking) []Variation {
	out := []Variation{{"the whole, replayed", w}}
	fused := w
	for _, key := range signals {
		turnOff(&fused, key)
	}
	out = append(out, Variation{"no signal", fused})
	for _, key := range signals {
		x := fused
		k := knobOf(key)
		k.set(&x, k.get(&w))
		if key == "saturation" {
			x.SaturationLead = w.SaturationLead
		}
		out = append(out, Variation{"only " + key, x})
	}
	for _, key := range append(slices.Clone(signals), parts...) {
		x := w
		turnOff(&x, key)
		out = append(out, Variation{"without " + key, x})
	}
	for _, fusion := range []string{"convex", "rrf"} {
		if x := w; fusion != w.Fusion {
			x.Fusion = fusion
			out = append(out, Variation{"fusion " + fusion, x})
		}
	}
	return out
}

func knobOf(key string) knob {
	all := knobs()
	return all[slices.IndexFunc(all, func(k knob) bool { return k.key == key })]
}

func turnOff(w *config.Ranking, key string) {
	k := knobOf(key)
	k.set(w, k.neutral())
}

// Replayed answers the questions as a search with these weights would.
func Replayed(questions []Question, w *config.Ranking, perFile replay.PerFile) []eval.Answer {
	out := make([]eval.Answer, len(questions))
	for i := range questions {
		q := &questions[i]
		out[i] = eval.Answer{ID: q.Task.ID, Query: q.Task.Query, Hits: q.Answer(w, perFile, nil)}
	}
	return out
}
