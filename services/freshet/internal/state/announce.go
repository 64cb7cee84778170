package state

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/instance"
)

// Announce writes the instance file, in one step.
func (f *Folder) Announce(r instance.Record) error {
	js, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the instance: %w", err)
	}
	if err := writeAtomically(filepath.Join(f.path, instance.RecordFile), append(js, '\n')); err != nil {
		return unusable(f.path, err)
	}
	return nil
}
