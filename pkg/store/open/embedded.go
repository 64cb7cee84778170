package open

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

func (o Options) embeddedLexical(g document.Generation) (store.Lexical, error) {
	dir := o.lexicalDir(g)
	if err := o.makeParent(dir); err != nil {
		return nil, err
	}
	return postings.Open(dir, postings.Options{SnapshotEvery: o.Snapshot, Room: o.Room})
}

func (o Options) embeddedVector(g document.Generation) (store.Vector, error) {
	dir := o.vectorDir(g)
	if err := o.makeParent(dir); err != nil {
		return nil, err
	}
	return flat.Open(dir, o.dims(g), flat.Options{SnapshotEvery: o.Snapshot, Room: o.Room})
}

// makeParent makes the folder above that of a store, which the store makes
// itself.
func (o Options) makeParent(dir string) error {
	if o.Dir == "" {
		return document.Errorf(document.Internal, "an embedded store was asked for, and no folder is known for it")
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return document.Errorf(document.Unavailable, "cannot create the folder %s for the stores: %w", filepath.Dir(dir), err)
	}
	return nil
}

// lexicalDir carries the analyzer's signature, on which the tokens depend.
func (o Options) lexicalDir(g document.Generation) string {
	return filepath.Join(o.Dir, string(g), string(document.Lexical)+"-"+o.analyzerTag())
}

func (o Options) vectorDir(g document.Generation) string {
	return filepath.Join(o.Dir, string(g), string(document.Vector))
}

// RemoveUnused removes the folders of stores that nothing refers to any more,
// and of their generations. A store is disposable: whoever needs it again fills
// it from the log.
func (o Options) RemoveUnused() error {
	inUse := map[string]bool{}
	for _, g := range slices.Concat(o.Generations, o.Keep) {
		if o.Stores.Lexical == config.Embedded {
			inUse[o.lexicalDir(g)], inUse[filepath.Join(o.Dir, string(g))] = true, true
		}
		if o.Stores.Vector == config.Embedded {
			inUse[o.vectorDir(g)], inUse[filepath.Join(o.Dir, string(g))] = true, true
		}
	}
	for _, pattern := range []string{"*", "*/*"} {
		dirs, err := filepath.Glob(filepath.Join(o.Dir, pattern))
		if err != nil {
			return fmt.Errorf("look for unused stores: %w", err)
		}
		for _, dir := range dirs {
			if inUse[dir] {
				continue
			}
			if err := os.RemoveAll(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove the unused store %s: %w", dir, err)
			}
		}
	}
	return nil
}
