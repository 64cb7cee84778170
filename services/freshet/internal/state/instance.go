package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Instance tells how to reach the process that owns a state folder.
type Instance struct {
	URL     string    `json:"url"`
	PID     int       `json:"pid"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// Announce writes the instance file, in one step.
func (f *Folder) Announce(i Instance) error {
	js, err := json.Marshal(i)
	if err != nil {
		return fmt.Errorf("encode the instance: %w", err)
	}
	if err := writeAtomically(filepath.Join(f.path, instanceFile), append(js, '\n')); err != nil {
		return unusable(f.path, err)
	}
	return nil
}

// ReadInstance reads the instance file of the state folder at path. The error
// is NotFound when no instance left one; one that was killed leaves it behind.
func ReadInstance(path string) (Instance, error) {
	file := filepath.Join(path, instanceFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errNotDirectory) {
		return Instance{}, document.Errorf(document.NotFound, "no freshet runs on %s: start it with `freshet up PATH`, or name another with --data DIR or --nats URL", path)
	}
	if errors.Is(err, fs.ErrPermission) {
		return Instance{}, document.Errorf(document.Forbidden, "no permission to read %s: ask as the user who started freshet, or name it with --nats URL", file)
	}
	if err != nil {
		return Instance{}, document.Errorf(document.Unavailable, "cannot read %s: %w", file, err)
	}
	var i Instance
	if err := json.Unmarshal(text, &i); err != nil || i.URL == "" {
		return Instance{}, document.Errorf(document.Unavailable, "the file %s is damaged: start freshet again, or name the running one with --nats URL", file)
	}
	return i, nil
}
