package watcher

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// exclude has a watched source leave out what its new registration says. It holds
// from the next comparison on, which is the caller's. The error is Conflict where
// the source would then index what another one does; nothing has changed then.
func (r *roster) exclude(ctx context.Context, src *source, reg registration) error {
	before := src.origin.Excluded()
	if slices.Equal(before, reg.Exclude) {
		return nil
	}
	src.origin.SetExcluded(reg.Exclude)
	err := r.overlaps(ctx, src)
	if err == nil {
		r.mu.Lock()
		err = r.registry.put(ctx, reg)
		r.mu.Unlock()
	}
	if err != nil {
		src.origin.SetExcluded(before)
	}
	return err
}

// overlaps refuses rules of a source by which it would index what another one
// indexes.
func (r *roster) overlaps(ctx context.Context, src *source) error {
	if !src.origin.Place.OnDisk() {
		return nil // no folder of a bare repository's tree is a source
	}
	rules, err := src.origin.LoadRules(ctx)
	if err != nil {
		return err
	}
	for _, other := range r.sources() {
		rel, err := filepath.Rel(src.origin.Place.Root, other.origin.Place.Root)
		if other == src || err != nil || other.origin.Place.Root == "" || !filepath.IsLocal(rel) {
			continue
		}
		if !rules.Dir(filepath.ToSlash(rel)).Self().Ignored {
			return document.Errorf(document.Conflict, "%s holds the watched source %q (%s): leave that out, or remove it first", src.origin.Place.Root, other.name, other.origin.Place.Root)
		}
	}
	return nil
}
