package watcher

import (
	"context"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
)

// announce looks at paths, at a repository, or at everything now, and answers
// with the token that covers what it saw.
func (s *Service) announce(ctx context.Context, req contract.Announce) (contract.AnnounceReply, error) {
	targets, err := s.targets(req)
	if err != nil {
		return contract.AnnounceReply{}, err
	}
	if err := s.bus.Room().For(0); err != nil {
		return contract.AnnounceReply{}, err // what is seen could not be written
	}
	if req.Hook != "" {
		s.log.Debug("announced by a hook", "hook", req.Hook, "repository", req.Repository)
	}
	reply := contract.AnnounceReply{Sources: []document.Source{}}
	var highest document.Version
	for _, t := range targets {
		if t.source.origin.Place.Mirror != nil && req.Repository != "" {
			if _, err := t.source.follower.fetch(ctx); err != nil {
				return reply, err
			}
		}
		out, err := t.source.follower.look(ctx, t.scopes)
		if err == nil && len(req.Paths)+len(req.Repository) > 0 {
			err = t.source.quota.refusal()
		}
		if err != nil {
			return reply, err
		}
		reply.Sources = append(reply.Sources, t.source.name)
		reply.Changed += out.changed
		reply.Unread = reply.Unread.And(out.unread)
		highest = max(highest, out.highest)
	}
	if len(req.Paths) == 0 && req.Repository == "" {
		highest = 0 // everything: the log's end
	}
	reply.Token, err = s.token(ctx, highest)
	return reply, err
}

// target is what has to be looked at in one source; no scopes mean all of it.
type target struct {
	source *source
	scopes []scope
}

func (s *Service) targets(req contract.Announce) ([]target, error) {
	var out []target
	sources := s.sources()
	switch {
	case req.Repository != "" && len(req.Paths) > 0:
		return nil, document.Errorf(document.InvalidRequest, "the request names paths and a repository: name one of the two")
	case giturl.Is(req.Repository):
		for _, src := range sourcesOf(sources, req.Repository) {
			out = append(out, target{source: src})
		}
		if len(out) == 0 {
			return nil, document.Errorf(document.NotFound, "no source follows %s", req.Repository).Do(document.DoSourceAdd)
		}
		return out, nil
	case req.Repository != "":
		dir, err := filepath.EvalSymlinks(req.Repository)
		var l gitrepo.Layout
		found := false
		if err == nil {
			l, found, err = gitrepo.Find(dir)
		}
		if err != nil || !found {
			return nil, document.Errorf(document.NotFound, "there is no git repository at %s: check the path", req.Repository)
		}
		for _, src := range sources {
			if src.origin.Repo != nil && src.origin.Place.Layout.CommonDir == l.CommonDir {
				out = append(out, target{source: src})
			}
		}
		if len(out) == 0 {
			return nil, document.Errorf(document.NotFound, "the repository %s is not watched", req.Repository).With(document.Action{Do: document.DoSourceAdd, Path: document.EncodePath(l.Dir())})
		}
		return out, nil
	case len(req.Paths) == 0:
		for _, src := range sources {
			out = append(out, target{source: src})
		}
		return out, nil
	}
	index := map[*source]int{}
	for _, path := range req.Paths {
		if !filepath.IsAbs(path) {
			return nil, document.Errorf(document.InvalidRequest, "the path %q is not absolute: give it from the root of the file system", path)
		}
		src, raw := holder(sources, realPath(path))
		if full, err := filepath.EvalSymlinks(path); src == nil && err == nil {
			src, raw = holder(sources, full) // a link to a root
		}
		if src == nil {
			return nil, document.Errorf(document.NotFound, "no watched source holds %s", path).Do(document.DoSourceAdd)
		}
		i, ok := index[src]
		if !ok {
			i = len(out)
			index[src] = i
			out = append(out, target{source: src})
		}
		out[i].scopes = append(out[i].scopes, scope{raw: raw, tree: true})
	}
	return out, nil
}

// holder returns the source that holds a path: the innermost, where one lies
// in a part of another that is not indexed there.
func holder(sources []*source, path string) (best *source, raw string) {
	for _, src := range sources {
		if rel, ok := src.origin.Holds(path); ok && (best == nil || len(src.origin.Place.Root) > len(best.origin.Place.Root)) {
			best, raw = src, rel
		}
	}
	return best, raw
}

// realPath resolves the symbolic links above the last element of a path as far
// as it exists. The last element is looked at as what it is.
func realPath(path string) string {
	dir, base := filepath.Split(filepath.Clean(path))
	dir = filepath.Clean(dir)
	if dir == filepath.Clean(path) {
		return dir
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(resolved, base)
	}
	return filepath.Join(realPath(dir), base)
}
