package watcher

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// fetchWithin bounds a fetch.
const fetchWithin = 30 * time.Minute

// The pause after a fetch that failed: doubled each time, up to the longest.
const (
	fetchAgain     = 30 * time.Second
	fetchAgainMost = time.Hour
)

// mirrors are the copies of repositories on other machines, by folder. They lie in
// the state folder.
type mirrors struct {
	svc *Service
	dir string // "" where there is no state folder
	mu  sync.Mutex
	all map[string]*mirror.Mirror
}

// of returns the mirror of a branch of a remote; "" is the default branch. The folder
// is told from both.
func (m *mirrors) of(url, branch string) (*mirror.Mirror, error) {
	if err := giturl.Check(url); err != nil {
		return nil, err
	}
	if m.dir == "" {
		return nil, document.Errorf(document.Unavailable, "this watcher has no state folder to keep a copy of %s in: set data in its configuration", url)
	}
	dir := filepath.Join(m.dir, mirrorName(url, branch))
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.all[dir] == nil {
		m.all[dir] = mirror.New(dir, url, branch)
	}
	return m.all[dir], nil
}

// mirrorName is that of a mirror's folder.
func mirrorName(url, branch string) string {
	sum := sha256.Sum256([]byte(url + "\x00" + branch))
	return string(document.Slug(giturl.Name(url))) + "-" + hex.EncodeToString(sum[:6]) + ".git"
}

// keep takes away the mirrors of sources that are not registered: what a removal was
// interrupted at.
func (m *mirrors) keep(registered map[document.Source]registration) error {
	entries, err := os.ReadDir(m.dir)
	if errors.Is(err, os.ErrNotExist) || m.dir == "" {
		return nil
	}
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, reg := range registered {
		if reg.Remote != "" {
			kept[mirrorName(reg.Remote, reg.Branch)] = true
		}
	}
	for _, e := range entries {
		if !kept[e.Name()] {
			err = errors.Join(err, os.RemoveAll(filepath.Join(m.dir, e.Name())))
		}
	}
	return err
}

// place is that of a mirror, which is made where there is none.
func (m *mirrors) place(ctx context.Context, add contract.SourceAdd) (origin.Place, error) {
	copied, err := m.of(add.Remote, add.Branch)
	if err != nil {
		return origin.Place{}, err
	}
	if err := copied.Open(ctx); err != nil {
		return origin.Place{}, err
	}
	layout, found, err := gitrepo.Find(copied.Dir)
	if err != nil || !found {
		return origin.Place{}, document.Errorf(document.Unavailable, "the copy of %s in %s cannot be read (%v): remove that folder", add.Remote, copied.Dir, err)
	}
	return origin.Place{Root: copied.Dir, Kind: contract.SourceBare, Layout: layout, Mirror: copied}, nil
}

// first fetches a remote that is to be added, so that a wrong address is an error
// at once, and registers nothing.
func (m *mirrors) first(ctx context.Context, add contract.SourceAdd) error {
	p, err := m.placeOf(ctx, add)
	if err != nil {
		return err
	}
	if err := m.svc.bus.Room().For(0); err != nil {
		return err
	}
	if _, err = p.Mirror.Fetch(ctx); err != nil {
		m.drop(p)
	}
	return err
}

// drop takes a mirror away that no source has.
func (m *mirrors) drop(p origin.Place) {
	r := m.svc.roster
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.RLock()
	_, known := r.registry.of(p, p.Mirror.Branch)
	r.mu.RUnlock()
	if known {
		return
	}
	if err := p.Mirror.Remove(); err != nil {
		m.svc.log.Warn("the copy of a repository cannot be removed", "folder", p.Root, "error", err)
	}
}

// fetch brings the mirror of a source in line with its remote now, and reports whether
// that changed it. Who asked and left has no part in what is known of the remote.
func (f *follower) fetch(ctx context.Context) (changed bool, err error) {
	if err := f.svc.bus.Room().For(0); err != nil {
		return false, err
	}
	within, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	changed, err = f.origin.Place.Mirror.Fetch(within)
	if ctx.Err() == nil || err == nil {
		f.troubles.note(troubleRemote, err)
	}
	return changed, err
}

// followRemote fetches from time to time; a webhook or a token does it at once. What a
// fetch has changed the watch on the mirror sees, too, but not on every file system.
func (f *follower) followRemote() {
	wait := f.svc.cfg.Fetch
	first := !f.origin.Place.Mirror.Fetched()
	if first {
		wait = 0
	}
	for failed := fetchAgain; ; {
		select {
		case <-time.After(wait):
		case <-f.life.ctx.Done():
			return
		}
		changed, err := f.fetch(f.life.ctx)
		if err != nil {
			wait, failed = failed, min(2*failed, max(fetchAgainMost, f.svc.cfg.Fetch))
			continue
		}
		wait, failed = f.svc.cfg.Fetch, fetchAgain
		if changed || first {
			_, err = f.full.ask(f.life.ctx, true)
			f.full.makeUp(f.life.ctx, err)
		}
		first = false
	}
}

// sourcesOf returns the watched sources that follow a remote.
func sourcesOf(all []*source, url string) []*source {
	return slices.DeleteFunc(all, func(s *source) bool { return s.origin.Place.Mirror == nil || s.origin.Place.Mirror.URL != url })
}
