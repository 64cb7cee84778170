package eval

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// seed makes two evaluations of the same answers print the same.
	seed = 20
	// resamples gives the ends of a 95 % interval a standard error of about a
	// thirtieth of its width.
	resamples = 2000
	// FewestGroups are needed to resample by group: an interval from fewer says
	// more about their number than about the mean.
	FewestGroups = 5
)

// What is resampled.
const (
	ByGroup = "group"
	ByTask  = "task"
)

// Estimate is a mean with the interval that holds it with 95 % certainty.
type Estimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// unit is what is drawn as a whole: the tasks of a group, or one task.
type unit struct {
	sum   Measures
	tasks int
}

// unitsOf puts rows together by their groups, where there are enough of these.
func unitsOf(rows []Measures, groups []string) (units []unit, by string) {
	at := map[string]int{}
	for _, g := range groups {
		if _, ok := at[g]; !ok {
			at[g] = len(at)
		}
	}
	if len(at) < FewestGroups {
		for _, r := range rows {
			units = append(units, unit{r, 1})
		}
		return units, ByTask
	}
	units = make([]unit, len(at))
	for i, r := range rows {
		u := &units[at[groups[i]]]
		u.add(r)
		u.tasks++
	}
	return units, ByGroup
}

func (u *unit) add(r Measures) {
	for m := range r {
		u.sum[m] += r[m]
	}
}

func meanOf(units []unit) Measures {
	var all unit
	for _, u := range units {
		all.add(u.sum)
		all.tasks += u.tasks
	}
	for m := range all.sum {
		all.sum[m] /= float64(max(all.tasks, 1))
	}
	return all.sum
}

// bootstrap returns the means of rows, each with its interval by the percentile
// bootstrap (Efron, 1979) over groups, or over tasks where there are few groups.
func bootstrap(rows []Measures, groups []string) ([measures]Estimate, string) {
	units, by := unitsOf(rows, groups)
	mean := meanOf(units)
	var drawn [measures][]float64
	if len(units) > 0 {
		random := rand.New(rand.NewPCG(seed, seed))
		sample := make([]unit, len(units))
		for range resamples {
			for i := range sample {
				sample[i] = units[random.IntN(len(units))]
			}
			for m, v := range meanOf(sample) {
				drawn[m] = append(drawn[m], v)
			}
		}
	}
	var out [measures]Estimate
	for m := range out {
		slices.Sort(drawn[m])
		out[m] = Estimate{mean[m], quantile(drawn[m], .025), quantile(drawn[m], .975)}
	}
	return out, by
}

// quantile is that of sorted values, with linear interpolation between them;
// 0 of none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	at := q * float64(len(sorted)-1)
	low := int(math.Floor(at))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
