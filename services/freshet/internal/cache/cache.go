// Package cache keeps the states of folders that were searched without a running
// instance, in the user's cache folder, one for each root. A state that is lost is
// made again by the next search.
package cache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// Cache is a folder with states.
type Cache struct {
	Dir string
	// Age is how long a state is kept after it was used last, and Bytes how much
	// all of them may have together; those that were used longest ago go first.
	Age   time.Duration
	Bytes int64
}

// Of returns the cache of the user: a month, and 4 GiB.
func Of() (Cache, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, fmt.Errorf("find the user's cache folder: %w", err)
	}
	return Cache{Dir: filepath.Join(dir, "freshet", "in"), Age: 30 * 24 * time.Hour, Bytes: 4 << 30}, nil
}

// tag has backup programs leave the folder out (bford.info/cachedir).
const tag = "Signature: 8a477f597d28d172789f06886806bc55\n# Indexes of folders that were searched once. They may be removed at any time.\n"

// State returns the state folder for a root, an absolute path without symbolic
// links. The cache is made where it is missing.
func (c Cache) State(root string) (string, error) {
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return "", fmt.Errorf("make the cache folder: %w", err)
	}
	if err := os.WriteFile(filepath.Join(c.Dir, "CACHEDIR.TAG"), []byte(tag), 0o600); err != nil {
		return "", fmt.Errorf("mark the cache folder: %w", err)
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(c.Dir, hex.EncodeToString(sum[:16])), nil
}

// gone ends the name of a state that is being removed.
const gone = ".gone"

// kept is a state of the cache.
type kept struct {
	path  string
	used  time.Time
	bytes int64
}

// Evict removes the states that are too old, or too much together. The state keep
// stays, and so does one that is in use. It goes on after an error.
func (c Cache) Evict(keep string, now time.Time) error {
	entries, err := os.ReadDir(c.Dir)
	if err != nil {
		return fmt.Errorf("list the cache folder: %w", err)
	}
	var list []kept
	var failed []error
	total := int64(0)
	for _, e := range entries {
		path := filepath.Join(c.Dir, e.Name())
		if strings.HasSuffix(e.Name(), gone) {
			failed = append(failed, os.RemoveAll(path)) // of one that was killed meanwhile
			continue
		}
		k, ok := look(path)
		if !ok {
			continue
		}
		total += k.bytes
		if path != keep {
			list = append(list, k)
		}
	}
	slices.SortFunc(list, func(a, b kept) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, k := range list {
		if now.Sub(k.used) <= c.Age && total <= c.Bytes {
			continue
		}
		removed, err := remove(k.path)
		failed = append(failed, err)
		if removed {
			total -= k.bytes
		}
	}
	return errors.Join(failed...)
}

// look measures a state. ok is false for what is none.
func look(path string) (k kept, ok bool) {
	used, err := state.Used(path)
	if err != nil {
		return k, false
	}
	k = kept{path: path, used: used}
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // What cannot be seen counts nothing.
		}
		if info, err := d.Info(); err == nil {
			k.bytes += info.Size()
		}
		return nil
	})
	return k, true
}

// remove takes a state away unless a process has it. It gets another name first:
// what a kill leaves of it is then no state that a search would open.
func remove(path string) (removed bool, err error) {
	folder, err := state.Open(path)
	if err != nil {
		return false, nil //nolint:nilerr // in use, or not ours
	}
	away := path + gone
	if err = os.Rename(path, away); err == nil {
		err = os.RemoveAll(away)
	}
	_ = folder.Close() // what it would remove is gone
	if err != nil {
		return false, fmt.Errorf("remove a state of the cache: %w", err)
	}
	return true, nil
}
