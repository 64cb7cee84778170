package vulture

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/document"
)

// runThere is the way on where the files are out of reach.
const runThere = "the vulture has to write where the watcher reads, so run it on that machine, or name with --dir a folder that both see under the same path"

// ground is a folder that is written in, as the log names it.
type ground struct {
	Place
	view   document.View
	prefix document.Path // of Dir below the source's root; "" is the root
}

func (g ground) holds(source document.Source, path document.Path) bool {
	return source == g.Source && strings.HasPrefix(string(path), string(g.prefix))
}

// spot is where a file lies, given by its name below Dir.
func (g ground) spot(name string) spot {
	return spot{g.Source, g.prefix + document.Path(name)}
}

// file is the name of a file in the file system.
func (g ground) file(name string) string {
	return filepath.Join(g.Dir, filepath.FromSlash(name))
}

// locate finds the source of a place and where its folder lies in it.
func locate(ctx context.Context, b *bus.Bus, p Place) (ground, error) {
	g := ground{Place: p}
	list, err := client.Sources.Ask(ctx, b.Conn(), client.None)
	if err != nil {
		return g, err
	}
	for _, s := range list.Sources {
		if s.Source != p.Source {
			continue
		}
		rel, err := below(s.Root, p.Dir)
		if err != nil {
			return g, err
		}
		if rel == "" {
			return g, document.Errorf(document.InvalidRequest, "the folder %s does not lie below %s, the root of source %s: name one that does", p.Dir, s.Root, s.Source)
		}
		if rel != "." {
			g.prefix = document.EncodePath(filepath.ToSlash(rel)) + "/"
		}
		g.view = s.View
		return g, nil
	}
	return g, document.Errorf(document.NotFound, "no source %q is watched: add it, or name another", p.Source)
}

// below returns where a folder lies below a root; "" is elsewhere.
func below(root, dir string) (string, error) {
	// The root may be named through a symbolic link.
	resolved, err := filepath.EvalSymlinks(root)
	if err != nil {
		return "", document.Errorf(document.InvalidRequest, "the root %s of a watched source cannot be seen from here (%w): %s", root, err, runThere)
	}
	if dir, err = resolveParent(dir); err != nil {
		return "", document.Errorf(document.InvalidRequest, "the folder %s cannot be looked at: %w", dir, err)
	}
	if rel, err := filepath.Rel(resolved, dir); err == nil && filepath.IsLocal(rel) {
		return rel, nil
	}
	return "", nil
}

// resolveParent follows symbolic links of a path whose last elements may be
// missing.
func resolveParent(path string) (string, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return resolved, err
	}
	parent, err := resolveParent(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}

// vacant checks that nothing lies in a folder but what git keeps there.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return document.Errorf(document.InvalidRequest, "the folder %s cannot be looked into: %w", dir, err)
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			return document.Errorf(document.InvalidRequest, "the folder %s is not empty: name an empty or a missing one, since the vulture deletes what it finds there", dir)
		}
	}
	return nil
}
