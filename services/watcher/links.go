package watcher

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// nameBook knows the names of files over all sources.
type nameBook struct{ svc *Service }

// follow looks at the other names of files in all sources, where a name of each
// was found changed or gone: no event tells of those. The outcome adds up what
// was found. Where a source could not be compared, that is made up for later.
func (n *nameBook) follow(ctx context.Context, found *origin.Origin, files []linked, look func(*follower, context.Context, []scope) (outcome, error)) (total outcome, failed error) {
	if len(files) == 0 || skipNames {
		return outcome{}, nil
	}
	sought := n.seekNames(toSeek(&found.Linked, files))
	for _, other := range n.svc.sources() {
		scopes := namesOf(&other.origin.Linked, files, sought[other])
		if len(scopes) == 0 || !other.quota.admits() {
			continue
		}
		end, err := other.life.begin()
		if err != nil {
			continue // it is being stopped
		}
		out, err := look(other.follower, ctx, scopes)
		total.changed += out.changed
		total.highest = max(total.highest, out.highest)
		if err != nil && ctx.Err() == nil {
			failed = err
			_ = other.life.run(func() { other.full.makeUp(other.life.ctx, err) }) // else it is being stopped
		}
		if len(out.linked) > 0 {
			// Perhaps it was changed once more meanwhile.
			n.lookLater(out.linked)
		}
		end()
	}
	return total, failed
}

// toSeek are those of some files of which not every name may be known by its
// inode. One that lost a name may have no other that was looked at.
func toSeek(links *scan.Links, files []linked) []scan.ID {
	var out, known []scan.ID
	for _, f := range files {
		if f.left {
			out = append(out, f.ID)
		} else {
			known = append(known, f.ID)
		}
	}
	return append(out, links.Seek(known)...)
}

// followAll is follow for whoever is given a token: every name is looked at,
// those included that nobody has looked at yet.
func (n *nameBook) followAll(ctx context.Context, found *origin.Origin, files []linked) (outcome, error) {
	out, err := n.follow(ctx, found, files, (*follower).lookAt)
	lacking := n.lacking(&found.Linked, files)
	if err != nil || len(lacking) == 0 || skipNames {
		return out, err
	}
	if err := n.noteNames(ctx); err != nil {
		return out, err
	}
	more, err := n.follow(ctx, found, lacking, (*follower).lookAt)
	out.changed += more.changed
	out.highest = max(out.highest, more.highest)
	for _, f := range n.lacking(&found.Linked, lacking) {
		c := found.Linked.Count(f.ID)
		found.Linked.SetElsewhere(f.ID, c.Links-n.names(f.ID))
	}
	return out, err
}

// lacking are those of some files that have more names than are known: they were
// made or moved a moment ago, or lie in no source.
func (n *nameBook) lacking(links *scan.Links, files []linked) (out []linked) {
	for _, f := range files {
		if c := links.Count(f.ID); c.Links > n.names(f.ID)+c.Elsewhere {
			out = append(out, f)
		}
	}
	return out
}

// names is how many names of a file are known in all sources.
func (n *nameBook) names(id scan.ID) uint64 {
	paths := map[string]bool{} // one path may be of two sources
	for _, src := range n.svc.sources() {
		for _, raw := range src.origin.Linked.Of(id) {
			paths[filepath.Join(src.origin.Place.Root, filepath.FromSlash(raw))] = true
		}
	}
	return uint64(len(paths))
}

// noteNames looks at every path of every source on disk for files of several
// names. It reads none.
func (n *nameBook) noteNames(ctx context.Context) error {
	for _, src := range n.svc.sources() {
		if !src.origin.Place.OnDisk() || !src.quota.admits() {
			continue
		}
		err := src.origin.Disk().Disk.Walk(ctx, "", nil, func(c scan.Candidate) error {
			if c.Err == nil {
				n.noteName(src, c.Raw)
			}
			return ctx.Err()
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			n.svc.log.Debug("not every name of a file was looked for", "source", src.name, "error", err)
		}
	}
	return nil
}

// noteName takes note of what a path names. What it named before may have been
// changed through it.
func (n *nameBook) noteName(src *source, raw string) {
	if former := src.origin.Linked.Look(src.origin.Place.Root, raw); former != (scan.ID{}) {
		n.lookLater([]linked{{ID: former, left: true}})
	}
}

// lookLater has every name of some files looked at once more.
func (n *nameBook) lookLater(files []linked) {
	for _, src := range n.svc.sources() {
		var paths []string
		for _, sc := range namesOf(&src.origin.Linked, files, nil) {
			paths = append(paths, sc.raw)
		}
		src.comparer.retries.add(paths)
	}
}

// namesOf are the names of files in a source, and others. What has not been
// found changed is told by its times.
func namesOf(links *scan.Links, files []linked, others []string) []scope {
	byTimes := map[string]bool{}
	for _, raw := range others {
		byTimes[raw] = false
	}
	for _, f := range files {
		for _, raw := range links.Of(f.ID) {
			byTimes[raw] = !f.changed
		}
	}
	var out []scope
	for _, raw := range slices.Sorted(maps.Keys(byTimes)) {
		out = append(out, scope{raw: raw, byTimes: byTimes[raw]})
	}
	return out
}

// seekNames finds names that files had before they got another: when these
// were looked at last, they were the only ones.
func (n *nameBook) seekNames(ids []scan.ID) map[*source][]string {
	if len(ids) == 0 {
		return nil
	}
	inodes := map[uint64]bool{}
	for _, id := range ids {
		inodes[id.Inode] = true
	}
	found := map[document.Source][]document.Path{}
	known := n.svc.ledger.all(func(_ bus.FileKey, h contract.FileHead) bool { return inodes[h.Inode] && h.Inode != 0 })
	for k, h := range known {
		found[k.Source] = append(found[k.Source], h.Path)
	}
	out := map[*source][]string{}
	for _, src := range n.svc.sources() {
		if !src.origin.Place.OnDisk() {
			continue
		}
		for _, p := range append(found[src.name], src.origin.Memory.Inodes(inodes)...) {
			n.noteName(src, p.Raw())
			out[src] = append(out[src], p.Raw())
		}
	}
	return out
}
