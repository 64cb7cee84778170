package agents

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// entry is what stands for freshet in a file.
type entry interface {
	// put returns a text, or that of a file that is not there, with the entry.
	put(text string, there bool) (string, error)
	// take returns a text without it, as it was before. gone says that the file was
	// made for the entry.
	take(text string) (rest string, gone bool)
}

// Change is a file as it is, and as it is to be.
type Change struct {
	File          string
	Before, After string
	There, Stays  bool // before and after

	below string // the folder that is set up
}

// Changed reports whether anything is to be done.
func (c Change) Changed() bool { return c.There != c.Stays || c.Before != c.After }

// Install returns what has to be written for clients: each file once. Nothing is
// written. What is there of an earlier one is replaced.
func Install(s Setup, clients []Client) ([]Change, error) { return changes(s, clients, true) }

// Remove returns what has to be written to have the files as they were before.
func Remove(s Setup, clients []Client) ([]Change, error) { return changes(s, clients, false) }

func changes(s Setup, clients []Client, put bool) ([]Change, error) {
	all := map[string]entry{}
	for _, c := range clients {
		files, err := s.files(c)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, files)
	}
	if !put {
		s.keepShared(all, clients)
	}
	var out []Change
	for _, file := range slices.Sorted(maps.Keys(all)) {
		c, err := change(file, all[file], put)
		if err != nil {
			return nil, err
		}
		c.below = filepath.Clean(s.Folder)
		out = append(out, c)
	}
	return out, nil
}

// keepShared takes files out of the list that other clients read, too, which know
// freshet.
func (s Setup) keepShared(all map[string]entry, leaving []Client) {
	for _, other := range Clients {
		if slices.ContainsFunc(leaving, func(c Client) bool { return c.Name == other.Name }) {
			continue
		}
		files, err := s.files(other)
		if err != nil {
			continue // it has none here
		}
		for file, e := range files {
			if filepath.Base(file) == other.notes {
				continue
			}
			text, err := os.ReadFile(file)
			if rest, _ := e.take(string(text)); err == nil && rest != string(text) {
				delete(all, filepath.Join(s.Folder, other.notes))
			}
		}
	}
}

func change(file string, e entry, put bool) (Change, error) {
	c := Change{File: file, There: true, Stays: true}
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.There = false
	case err != nil:
		return c, document.Errorf(document.Unavailable, "%s cannot be read: %w", file, err)
	}
	c.Before = string(text)
	rest, gone := e.take(c.Before)
	c.After, c.Stays = rest, c.There && !gone
	if !put {
		return c, nil
	}
	if c.After, err = e.put(rest, c.Stays); err != nil {
		return c, document.Errorf(document.Conflict, "%s was left as it is: %w; put the server in by hand", file, err)
	}
	c.Stays = true
	return c, nil
}

// Apply writes a change. A file is replaced at once and keeps its rights; where it
// is a link, what it leads to is replaced.
func (c Change) Apply() error {
	failed := func(err error) error {
		return document.Errorf(document.Unavailable, "%s cannot be written: %w", c.File, err)
	}
	if !c.Stays {
		if err := os.Remove(c.File); err != nil {
			return failed(err)
		}
		folder := filepath.Dir(c.File)
		for folder != c.below && os.Remove(folder) == nil { // until something else is in one
			folder = filepath.Dir(folder)
		}
		return nil
	}
	file, mode := c.File, fs.FileMode(0o644)
	if c.There {
		var err error
		if file, err = filepath.EvalSymlinks(c.File); err != nil {
			return failed(err)
		}
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	} else if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return failed(err)
	}
	next, err := os.CreateTemp(filepath.Dir(file), ".freshet-*")
	if err != nil {
		return failed(err)
	}
	_, err = next.WriteString(c.After)
	err = errors.Join(err, next.Chmod(mode), next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), file)
	}
	if err != nil {
		_ = os.Remove(next.Name())
		return failed(err)
	}
	return nil
}
