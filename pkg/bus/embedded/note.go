package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
)

// note is where the server notes what it has found before it opened the log, and
// the log does not have yet: a file in the log's folder.
type note string

func noteIn(dir string) note { return note(filepath.Join(dir, "damage.json")) }

// Read returns what was noted; the zero Damage where nothing was.
func (n note) Read() (d bus.Damage, err error) {
	raw, err := os.ReadFile(string(n))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("read what was noted of damage: %w", err)
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		return d, fmt.Errorf("read what was noted of damage in %s: %w", n, err)
	}
	return d, nil
}

// add adds to the note, which is on the disk when it returns.
func (n note) add(d bus.Damage) error {
	known, err := n.Read()
	if err != nil {
		return err
	}
	js, err := json.Marshal(known.And(d))
	if err != nil {
		return fmt.Errorf("encode the note of damage: %w", err)
	}
	return block.Replace(string(n), js)
}

// Drop forgets the note: the log has it.
func (n note) Drop() error {
	if err := os.Remove(string(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the note of damage: %w", err)
	}
	return nil
}
