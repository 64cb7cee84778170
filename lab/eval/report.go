package eval

import (
	"cmp"
	"maps"
	"slices"
)

// Report is what an evaluation found.
type Report struct {
	Set string   `json:"set"`
	K   int      `json:"k"`
	Way Way      `json:"way"`
	Off []string `json:"off,omitempty"`
	// Tasks counts all, Unanswerable those that nothing answers; these count in
	// no measure.
	Tasks        int `json:"tasks"`
	Unanswerable int `json:"unanswerable"`
	// Rows are the figures of all tasks first, then by category, language, kind
	// and group.
	Rows    []Row   `json:"rows"`
	Latency Latency `json:"latency"`
	// Indexing is only there where the evaluation has indexed.
	Indexing *Indexing `json:"indexing,omitempty"`
	// Stages counts the misses by the stage that lost them.
	Stages map[string]int `json:"stages"`
	Misses []Miss         `json:"misses"`
	// Abstention is there where some task has no answer, Reliability where
	// answers state a confidence.
	Abstention  *Abstention  `json:"abstention,omitempty"`
	Reliability *Reliability `json:"reliability,omitempty"`
	// Pending counts answers that came while documents were being indexed;
	// Degraded counts answers by what was degraded, Errors those that did not
	// come by their reason.
	Pending  int            `json:"pending,omitempty"`
	Degraded map[string]int `json:"degraded,omitempty"`
	Errors   map[string]int `json:"errors,omitempty"`
	// Arms are other ways to ask, if any were asked for.
	Arms []ArmReport `json:"arms,omitempty"`
	// Against is the comparison with a saved run, if one was asked for.
	Against *Comparison `json:"against,omitempty"`
	// Below are the measures under their floors.
	Below []Shortfall `json:"below,omitempty"`
}

// Row are the figures of some of the tasks.
type Row struct {
	By    string `json:"by"`   // all, category, language, kind or group
	Name  string `json:"name"` // "" of all
	Tasks int    `json:"tasks"`
	// Resampled says what the intervals come from: group or task.
	Resampled string              `json:"resampled"`
	Figures   map[string]Estimate `json:"figures"` // by MeasureNames
}

// Figure returns one of a row.
func (r *Row) Figure(m Measure) Estimate { return r.Figures[MeasureNames[m]] }

// Indexing is what it took to index the corpus, in a state that was empty.
type Indexing struct {
	Seconds   float64 `json:"seconds"` // from the start of the program to ready
	Documents int     `json:"documents"`
	Passages  int     `json:"passages"`
}

// scored is an answer to an answerable task, with its figures.
type scored struct {
	task     *Task
	measures Measures
}

// score leaves out what is not answerable.
func score(tasks []Task, answers []Answer, o *Options) []scored {
	var out []scored
	for i := range tasks {
		if t := &tasks[i]; !t.Unanswerable {
			out = append(out, scored{t, Score(t, answers[i].Hits, o.Way, o.K)})
		}
	}
	return out
}

// NewReport scores answers, which are those of tasks in the same order.
func NewReport(set string, tasks []Task, answers []Answer, misses []Miss, o Options) Report {
	o.SetDefaults()
	list := score(tasks, answers, &o)
	r := Report{
		Set: set, K: o.K, Way: o.Way, Off: o.Off, Tasks: len(tasks), Unanswerable: len(tasks) - len(list),
		Rows: rowsOf(list), Latency: latencyOf(answers, false), Stages: map[string]int{}, Misses: misses,
		Abstention: abstentionOf(tasks, answers), Reliability: reliabilityOf(tasks, answers, o.K),
		Degraded: map[string]int{}, Errors: map[string]int{},
	}
	for _, m := range misses {
		r.Stages[m.Stage]++
	}
	for _, a := range answers {
		if a.Pending > 0 {
			r.Pending++
		}
		for _, d := range a.Degraded {
			r.Degraded[d]++
		}
		if a.Error != "" {
			r.Errors[a.Error]++
		}
	}
	return r
}

// dimension is a way in which tasks are told apart.
type dimension struct {
	by  string
	key func(*Task) string
}

var dimensions = []dimension{
	{"category", func(t *Task) string { return t.Category }},
	{"language", func(t *Task) string { return t.Language }},
	{"kind", func(t *Task) string { return t.Kind }},
	{"group", func(t *Task) string { return t.Group }},
}

// rowsOf leaves out a dimension in which the tasks do not differ, or as in one
// before it.
func rowsOf(list []scored) []Row {
	rows := []Row{rowOf("all", "", list)}
	for i, d := range dimensions {
		if slices.ContainsFunc(dimensions[:i], func(other dimension) bool {
			return !slices.ContainsFunc(list, func(s scored) bool { return d.key(s.task) != other.key(s.task) })
		}) {
			continue
		}
		parts := map[string][]scored{}
		for _, s := range list {
			parts[d.key(s.task)] = append(parts[d.key(s.task)], s)
		}
		if len(parts) < 2 {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(parts)) {
			rows = append(rows, rowOf(d.by, cmp.Or(name, "none"), parts[name]))
		}
	}
	return rows
}

func rowOf(by, name string, list []scored) Row {
	rows, groups := make([]Measures, len(list)), make([]string, len(list))
	for i, s := range list {
		rows[i], groups[i] = s.measures, s.task.Group
	}
	figures, resampled := bootstrap(rows, groups)
	r := Row{By: by, Name: name, Tasks: len(list), Resampled: resampled, Figures: map[string]Estimate{}}
	for m, e := range figures {
		r.Figures[MeasureNames[m]] = e
	}
	return r
}
