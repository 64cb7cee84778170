package eval

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Floors are the least figures of task sets: by set, then by MeasureNames.
type Floors map[string]map[string]float64

// ReadFloors reads a file of floors. Every error names the file and the fix.
func ReadFloors(file string) (Floors, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.NotFound, "cannot read the floors: %w: name a YAML file of sets with their floors", err)
	}
	var floors Floors
	if err := yaml.Unmarshal(text, &floors); err != nil {
		return nil, wrongFloors(file, err)
	}
	for set, list := range floors {
		for name, least := range list {
			if !slices.Contains(MeasureNames[:], name) {
				return nil, document.Errorf(document.InvalidRequest, "%s has a floor for %q in the set %s: name one of %s", file, name, set, strings.Join(MeasureNames[:], ", "))
			}
			if least < 0 || least > 1 {
				return nil, document.Errorf(document.InvalidRequest, "%s has the floor %v for %s in the set %s: choose 0 to 1", file, least, name, set)
			}
		}
	}
	return floors, nil
}

func wrongFloors(file string, err error) error {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return document.Errorf(document.InvalidRequest, "%s holds no floors (%s): write a mapping of sets, each a mapping of measures to numbers", file, first)
}

// Shortfall is a figure under its floor.
type Shortfall struct {
	Set     string  `json:"set"`
	Measure string  `json:"measure"`
	Value   float64 `json:"value"`
	Floor   float64 `json:"floor"`
}

// String is one sentence.
func (s Shortfall) String() string {
	return fmt.Sprintf("the set %s has %s %.4f, below its floor of %.4f", s.Set, s.Measure, s.Value, s.Floor)
}

// Check returns the figures of a report that are under their floors, in the
// order of the measures. A set without floors is an error: a check that was
// asked for has to be one.
func (f Floors) Check(r *Report, file string) ([]Shortfall, error) {
	list, ok := f[r.Set]
	if !ok || len(list) == 0 {
		return nil, document.Errorf(document.NotFound, "%s has no floors for the set %s: add them, or name the set with --set", file, r.Set)
	}
	var out []Shortfall
	for m, name := range MeasureNames {
		least, ok := list[name]
		if !ok {
			continue
		}
		if value := r.Rows[0].Figure(Measure(m)).Value; value < least {
			out = append(out, Shortfall{r.Set, name, value, least})
		}
	}
	return out, nil
}
