package eval

import "slices"

// Latency are the delays of the queries of one run, apart by what was warm.
type Latency struct {
	// First are the first queries, one for each instance that was asked. They
	// are cold only where Fresh says that it was started for this run.
	First Spread `json:"first"`
	Fresh bool   `json:"fresh"`
	// Warm are the queries after it that nobody had asked in this run before:
	// no vector of theirs was remembered, if the instance is Fresh.
	Warm    Spread `json:"warm"`
	Service Spread `json:"warm_service"` // the same, within the query service
}

// Spread are quantiles in milliseconds.
type Spread struct {
	Count int     `json:"count"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
}

// latencyOf takes the delays of answers in the order in which they were asked.
func latencyOf(answers []Answer, fresh bool) Latency {
	l := Latency{Fresh: fresh}
	var first, here, there []float64
	asked := map[string]bool{}
	for _, a := range answers {
		again := asked[a.Query]
		asked[a.Query] = true
		switch {
		case a.First:
			first = append(first, a.MS)
		case !again && a.Error == "":
			here, there = append(here, a.MS), append(there, a.ServiceMS)
		}
	}
	l.First = spreadOf(first)
	l.Warm, l.Service = spreadOf(here), spreadOf(there)
	return l
}

// SpreadOf are the delays of all answers that came.
func SpreadOf(answers []Answer) Spread {
	var ms []float64
	for _, a := range answers {
		if a.Error == "" {
			ms = append(ms, a.MS)
		}
	}
	return spreadOf(ms)
}

func spreadOf(ms []float64) Spread {
	slices.Sort(ms)
	return Spread{len(ms), quantile(ms, .5), quantile(ms, .99)}
}
