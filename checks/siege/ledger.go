package siege

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
)

// Modes of a siege.
const (
	Embedded = "embedded" // one process
	Servers  = "servers"  // three processes of each service over real servers
	Calm     = "calm"     // one process that nobody strikes, asked as fast as it answers
)

// Entry is one round in the ledger, a line of JSON.
type Entry struct {
	Seed    uint64    `json:"seed"`
	Time    time.Time `json:"time"`
	Version string    `json:"version"`
	Commit  string    `json:"commit,omitempty"`
	Mode    string    `json:"mode"`
	Seconds float64   `json:"seconds"` // of writing and asking
	// Program and Checker are the seconds of processor time that freshet and
	// its children took, and those of whoever wrote, asked and judged.
	Program float64 `json:"program_cpu,omitempty"`
	Checker float64 `json:"checker_cpu,omitempty"`
	// Answers were checked; WithToken of them had to be fresh.
	Answers    int            `json:"answers"`
	WithToken  int            `json:"with_token"`
	Writes     int            `json:"writes"`
	Violations map[string]int `json:"violations"` // by kind
	Blows      map[string]int `json:"blows"`      // kills and the like, by kind
	// Trouble is why the round did not come to its end.
	Trouble string `json:"trouble,omitempty"`
}

// Broken is the number of violations, and one for a round without an end.
func (e Entry) Broken() int {
	n := 0
	for _, v := range e.Violations {
		n += v
	}
	if e.Trouble != "" {
		n++
	}
	return n
}

// NewEntry begins the entry of a round.
func NewEntry(seed uint64, mode string) Entry {
	return Entry{Seed: seed, Time: time.Now().UTC(), Version: process.Version, Commit: commit(), Mode: mode,
		Violations: map[string]int{}, Blows: map[string]int{}}
}

// commit is what this program was built from.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	id, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			id = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	return id + changed
}

// Append adds a round to a ledger, in one write: several sieges may share it.
func Append(path string, e Entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode the round: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return document.Errorf(document.InvalidRequest, "the folder of the ledger %s cannot be made: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "the ledger %s cannot be written: %w", path, err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Read returns the rounds of a ledger; one that is not there yet has none.
func Read(path string) ([]Entry, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the ledger %s cannot be read: %w", path, err)
	}
	var out []Entry
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var e Entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "line %d of the ledger %s is no round (%w): take it out", n, path, err)
		}
		out = append(out, e)
	}
	return out, lines.Err()
}

// next is the seed after the last one of a mode.
func next(rounds []Entry, mode string) uint64 {
	last := uint64(0)
	for _, e := range rounds {
		if e.Mode == mode {
			last = max(last, e.Seed)
		}
	}
	return last + 1
}

// NextSeed is the seed after the last one that a ledger has of a mode.
func NextSeed(path, mode string) (uint64, error) {
	rounds, err := Read(path)
	return next(rounds, mode), err
}
