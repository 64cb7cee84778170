package eval

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Comparison is a run beside a saved one, on the tasks that both have answered.
type Comparison struct {
	File  string    `json:"file"`
	Time  time.Time `json:"time"`
	Off   []string  `json:"off,omitempty"` // stages that were left out then
	Tasks int       `json:"tasks"`
	// Unpaired counts tasks that only one of the two has, or asks otherwise.
	Unpaired  int                `json:"unpaired"`
	Resampled string             `json:"resampled"`
	Before    map[string]float64 `json:"before"` // means then, by MeasureNames
	Now       map[string]float64 `json:"now"`    // means of the same tasks
	Paired    map[string]Paired  `json:"paired"`
}

// Compare scores both runs by the same tasks and measures.
func Compare(file string, before Saved, tasks []Task, answers []Answer, o Options) (*Comparison, error) {
	o.SetDefaults()
	old := map[string]*Answer{}
	for i := range before.Answers {
		old[before.Answers[i].ID] = &before.Answers[i]
	}
	c := &Comparison{
		File: file, Time: before.Time, Off: before.Off,
		Before: map[string]float64{}, Now: map[string]float64{}, Paired: map[string]Paired{},
	}
	var now, then []Measures
	var groups []string
	met := 0
	for i := range tasks {
		t := &tasks[i]
		was := old[t.ID]
		if was != nil {
			met++
		}
		switch {
		case was == nil || was.Query != t.Query:
			c.Unpaired++
		case !t.Unanswerable:
			now = append(now, Score(t, answers[i].Hits, o.Way, o.K))
			then = append(then, Score(t, was.Hits, o.Way, o.K))
			groups = append(groups, t.Group)
		}
	}
	c.Unpaired += len(before.Answers) - met
	c.Tasks = len(now)
	if c.Tasks == 0 {
		return nil, document.Errorf(document.InvalidRequest, "%s has answered none of these tasks: compare runs of the same task files", file)
	}
	paired, by := pair(now, then, groups)
	c.Resampled = by
	nowMean, thenMean := meanOfRows(now), meanOfRows(then)
	for m, name := range MeasureNames {
		c.Now[name], c.Before[name], c.Paired[name] = nowMean[m], thenMean[m], paired[m]
	}
	return c, nil
}

func meanOfRows(rows []Measures) Measures {
	units, _ := unitsOf(rows, make([]string, len(rows)))
	return meanOf(units)
}
