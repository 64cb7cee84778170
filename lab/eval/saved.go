package eval

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// savedFormat is raised when an older program could not read a saved run.
const savedFormat = 1

// Saved is a run as --save keeps it: what was answered, not what it came to, so
// that it is scored by the tasks and measures of whoever compares with it.
type Saved struct {
	Format  int       `json:"format"`
	Time    time.Time `json:"time"`
	Set     string    `json:"set"`
	Off     []string  `json:"off,omitempty"`
	Answers []Answer  `json:"answers"`
}

// Save writes a run.
func Save(file, set string, answers []Answer, o Options) error {
	raw, err := json.Marshal(Saved{Format: savedFormat, Time: time.Now().UTC(), Set: set, Off: o.Off, Answers: answers})
	if err != nil {
		return fmt.Errorf("encode the run: %w", err)
	}
	if err := os.WriteFile(file, append(raw, '\n'), 0o644); err != nil {
		return document.Errorf(document.Forbidden, "cannot save the run: %w: name a file that can be written with --save", err)
	}
	return nil
}

// Load reads a run that Save has written.
func Load(file string) (Saved, error) {
	var s Saved
	raw, err := os.ReadFile(file)
	if err != nil {
		return s, document.Errorf(document.NotFound, "cannot read the run to compare with: %w: make one with `freshet eval … --save FILE`", err)
	}
	if err := json.Unmarshal(raw, &s); err != nil || s.Format == 0 {
		return s, document.Errorf(document.InvalidRequest, "%s is no saved run: make one with `freshet eval … --save FILE`", file)
	}
	if s.Format > savedFormat {
		return s, document.Errorf(document.VersionMismatch, "%s was saved by a newer freshet: save it again with this one", file)
	}
	return s, nil
}
