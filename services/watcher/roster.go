package watcher

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// roster are the sources that are registered and those that are watched, and how
// they come and go.
type roster struct {
	svc *Service

	admin    sync.Mutex // one addition or removal at a time
	mu       sync.RWMutex
	registry *registry
	watched  map[document.Source]*source
	stopped  bool
	lost     uint64 // overflows of sources that were stopped
}

// unwatch ends a source that was only to be compared once; it stays registered
// with what it has.
func (r *roster) unwatch(src *source) {
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.Lock()
	ours := r.watched[src.name] == src
	if ours {
		delete(r.watched, src.name)
	}
	r.mu.Unlock()
	if ours {
		src.stop()
		r.mu.Lock()
		r.lost += src.follower.overflows()
		r.mu.Unlock()
	}
}

// forget drops a source of which the log has nothing.
func (r *roster) forget(ctx context.Context, name document.Source) error {
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.watched[name] != nil {
		return nil // somebody has accepted it meanwhile
	}
	return r.registry.drop(ctx, name)
}

// remove deletes a source's documents, forgets it, and has what is left of it
// in the log and in files taken away.
func (r *roster) remove(ctx context.Context, req contract.SourceRemove) (contract.SourceList, error) {
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.Lock()
	reg, known := r.registry.list[req.Source]
	src := r.watched[req.Source]
	delete(r.watched, req.Source)
	r.mu.Unlock()
	if !known {
		return contract.SourceList{}, document.Errorf(document.NotFound, "there is no source %q", req.Source).Do(document.DoSourceList)
	}
	if src != nil {
		src.stop()
		r.mu.Lock()
		r.lost += src.follower.overflows()
		r.mu.Unlock()
	}
	if reg.Remote != "" {
		if m, err := r.svc.mirrors.of(reg.Remote, reg.Branch); err != nil {
			return contract.SourceList{}, err
		} else if err := m.Remove(); err != nil {
			return contract.SourceList{}, fmt.Errorf("remove the copy of %s: %w", reg.Remote, err)
		}
	}
	documents := r.svc.stats.ofAll(reg.Source).documents
	highest, err := r.clearSource(ctx, reg.Source)
	if err != nil {
		return contract.SourceList{}, err
	}
	receipt, err := eraseSource(ctx, r.svc.bus, reg.Source)
	if err != nil {
		return contract.SourceList{}, err
	}
	receipt.Documents = documents
	r.mu.Lock()
	err = r.registry.drop(ctx, reg.Source)
	r.mu.Unlock()
	if err != nil {
		return contract.SourceList{}, err
	}
	list, err := r.svc.listed(ctx, highest)
	list.Receipt = &receipt
	return list, err
}

// clearSource publishes the deletes of everything that a source had, and its
// last markers. It returns the highest version.
func (r *roster) clearSource(ctx context.Context, name document.Source) (document.Version, error) {
	// What was written a moment ago has to be known, or it would stay.
	if err := r.svc.ledger.reach(ctx, r.svc.bus); err != nil {
		return 0, err
	}
	o := origin.New(&r.svc.reading, name, origin.Place{})
	all := newComparer(r.svc, o, newQuota(o, r.svc.cfg.Limits, extent{}), &life{})
	views := r.svc.ledger.views(name)
	if len(views) == 0 {
		views = r.svc.stats.viewsOf(name)
	}
	var highest document.Version
	for _, v := range views {
		out, err := all.clear(ctx, v)
		highest = max(highest, out.highest)
		if err != nil {
			return highest, err
		}
	}
	return highest, nil
}

// stopAll ends every source.
func (r *roster) stopAll() {
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.Lock()
	sources := slices.Collect(maps.Values(r.watched))
	clear(r.watched)
	r.stopped = true
	r.mu.Unlock()
	for _, src := range sources {
		src.stop()
	}
}

// sources returns the watched sources by name.
func (r *roster) sources() []*source {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var out []*source
	for _, name := range slices.Sorted(maps.Keys(r.watched)) {
		out = append(out, r.watched[name])
	}
	return out
}

// watch registers a root and sets its source going. fresh is false when it is
// being watched already. The first comparison is the caller's.
func (r *roster) watch(ctx context.Context, add contract.SourceAdd) (src *source, fresh bool, err error) {
	p, err := r.svc.mirrors.placeOf(ctx, add)
	if err != nil {
		return nil, false, err
	}
	if err := pathset.CheckExcludes(add.Exclude); err != nil {
		return nil, false, document.Errorf(document.InvalidRequest, "what is to be left out %w", err)
	}
	r.admin.Lock()
	defer r.admin.Unlock()
	r.mu.RLock()
	reg, err := r.registry.resolve(p, add.Source, add.Branch)
	src = r.watched[reg.Source]
	if r.stopped {
		err = document.Errorf(document.Unavailable, "the watcher is stopping: ask again")
	}
	r.mu.RUnlock()
	if add.Exclude != nil {
		reg.Exclude = add.Exclude
	}
	if err == nil && src != nil {
		err = r.exclude(ctx, src, reg)
	}
	if err != nil || src != nil {
		return src, false, err
	}
	src, err = openSource(ctx, r.svc, reg, p)
	if err != nil {
		return nil, false, err
	}
	if err := r.nested(src); err != nil {
		src.close()
		return nil, false, err
	}
	r.mu.Lock()
	err = r.registry.put(ctx, reg)
	if err == nil {
		r.watched[reg.Source] = src
	}
	r.mu.Unlock()
	if err != nil {
		src.close()
		return nil, false, err
	}
	src.start()
	return src, true, nil
}

// nested refuses a source that would index what another one indexes.
func (r *roster) nested(src *source) error {
	for _, other := range r.sources() {
		if src.origin.Place.Kind == contract.SourceAPI || other.origin.Place.Kind == contract.SourceAPI {
			continue
		}
		switch {
		case other.origin.Covers(src.origin.Place.Root):
			return document.Errorf(document.Conflict, "%s lies in the watched source %q (%s): search that with a path filter, or remove it first", src.origin.Place.Root, other.name, other.origin.Place.Root)
		case src.origin.Covers(other.origin.Place.Root):
			return document.Errorf(document.Conflict, "%s holds the watched source %q (%s): remove that first", src.origin.Place.Root, other.name, other.origin.Place.Root)
		}
	}
	return nil
}

// list describes every registered source, watched or not.
func (r *roster) list() []contract.SourceInfo {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := []contract.SourceInfo{}
	for _, name := range slices.Sorted(maps.Keys(r.registry.list)) {
		if src := r.watched[name]; src != nil {
			out = append(out, src.info())
			continue
		}
		i := r.registry.list[name].info()
		for _, v := range r.svc.stats.viewsOf(name) {
			st := r.svc.stats.of(name, v)
			if st.documents+len(st.skipped) == 0 {
				continue
			}
			i.View, i.Documents, i.Bytes, i.Commit = v, st.documents, st.bytes, st.marker.Commit
			for _, n := range st.skipped {
				i.Skipped += n
			}
		}
		out = append(out, i)
	}
	return out
}
