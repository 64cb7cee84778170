package watcher

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// explain tells what a path is to the watcher, and why. Every path gets a
// verdict; an error is for a request that names none.
func (s *Service) explain(ctx context.Context, req contract.ExplainFile) (contract.FileExplanation, error) {
	if v := viewerOf(ctx, s); v.sight != nil {
		return v.explain(ctx, req)
	}
	path := document.TypedPath(req.Path).Raw()
	if req.Source != "" {
		return s.explainIn(ctx, req.Source, path)
	}
	if !filepath.IsAbs(path) {
		return contract.FileExplanation{}, document.Errorf(document.InvalidRequest, "the path %q is not absolute: give it from the root of the file system, or name its source", req.Path)
	}
	path = filepath.Clean(path)
	src, raw := s.holderOf(path)
	if src == nil {
		return s.explainOutside(path), nil
	}
	return src.explain(ctx, raw)
}

func (s *Service) explainIn(ctx context.Context, name document.Source, path string) (contract.FileExplanation, error) {
	s.mu.RLock()
	src := s.watched[name]
	s.mu.RUnlock()
	if src != nil && path != "" && src.follower.known(path) {
		return src.explain(ctx, path) // also one that no work tree could hold
	}
	path = filepath.Clean(path)
	if path == "." || path == "/" {
		path = ""
	}
	if path != "" && !filepath.IsLocal(path) {
		return contract.FileExplanation{}, document.Errorf(document.InvalidRequest, "the path %q leaves its source: give it relative to the root of %s", path, name)
	}
	if src != nil {
		return src.explain(ctx, filepath.ToSlash(path))
	}
	for _, info := range s.list() {
		if info.Source == name {
			return s.unwatched(info, path), nil
		}
	}
	return contract.FileExplanation{}, document.Errorf(document.NotFound, "there is no source %q", name).Do(document.DoSourceList)
}

// holderOf returns the watched source that holds an absolute path. The links
// above its root are the machine's; those below it are the source's, and
// nothing is looked for behind them.
func (s *Service) holderOf(path string) (best *source, raw string) {
	sources := s.sources()
	for at, rest := path, ""; ; {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			for _, src := range sources {
				if resolved == src.origin.Place.Root && (best == nil || len(src.origin.Place.Root) > len(best.origin.Place.Root)) {
					best, raw = src, filepath.ToSlash(rest)
				}
			}
		}
		up := filepath.Dir(at)
		if up == at {
			break
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
	if best != nil {
		return best, raw
	}
	return holder(sources, realPath(path)) // a root that is away, too
}

// explainOutside is the verdict on what no watched source holds.
func (s *Service) explainOutside(path string) contract.FileExplanation {
	for _, info := range s.list() {
		if rel, err := filepath.Rel(info.Root, realPath(path)); !info.Watched && err == nil && filepath.IsLocal(rel) {
			return s.unwatched(info, strings.TrimPrefix(rel, "."))
		}
	}
	e := contract.FileExplanation{
		Verdict: contract.VerdictUnwatched, Path: string(document.EncodePath(path)), Type: typeOf(path),
		Summary: quoted(path) + " lies in no watched source.",
	}
	if e.Type == typeNothing {
		e.Summary = quoted(path) + " does not exist, and lies in no watched source."
		e.Next, e.Actions = []string{"Check the path."}, document.Acts(document.DoSourceList)
		return e
	}
	dir := path
	if e.Type != typeFolder {
		dir = filepath.Dir(path)
	}
	if p, err := origin.Locate(dir); err == nil {
		dir = p.Root
	}
	e.Actions = []document.Action{{Do: document.DoSourceAdd, Path: document.EncodePath(dir)}}
	return e
}

// unwatched is the verdict on what lies in a source that this run was not
// given.
func (s *Service) unwatched(info contract.SourceInfo, raw string) contract.FileExplanation {
	doc := document.EncodePath(filepath.ToSlash(raw))
	e := contract.FileExplanation{
		Verdict: contract.VerdictUnwatched, Source: &info, Document: doc,
		Path: string(document.EncodePath(filepath.Join(info.Root, raw))), Type: typeOf(filepath.Join(info.Root, raw)),
		Summary: quoted(filepath.Join(info.Root, raw)) + " lies in the source " + string(info.Source) + ", which is not watched: answers leave it out unless they name it.",
		Actions: []document.Action{
			{Do: document.DoSourceAdd, Path: document.EncodePath(info.Root)},
			{Do: document.DoSearchSource, Source: info.Source},
		},
	}
	if head := s.ledger.get(bus.FileKey{Source: info.Source, Doc: document.DocOf(doc), View: info.View}); head.Version > 0 {
		v := contract.LogVersionOf(head)
		e.Log = &v
	}
	return e
}

// explain tells what a path below the root is.
func (s *source) explain(ctx context.Context, raw string) (contract.FileExplanation, error) {
	info := s.info()
	x := &explanation{s: s, raw: raw, doc: document.EncodePath(raw)}
	x.Source, x.Document = &info, x.doc
	x.Path = string(x.doc)
	if s.origin.Place.Root != "" && s.origin.Place.Kind != contract.SourceBare {
		x.Path = string(document.EncodePath(filepath.Join(s.origin.Place.Root, filepath.FromSlash(raw))))
	}
	if raw != "" {
		x.known = s.svc.ledger.get(bus.FileKey{Source: s.name, Doc: document.DocOf(x.doc), View: s.position.view()})
	}
	if x.known.Version > 0 {
		v := contract.LogVersionOf(x.known)
		x.Log = &v
	}
	end, err := s.life.begin()
	if err != nil {
		return contract.FileExplanation{}, err
	}
	defer end()
	switch s.origin.Place.Kind {
	case contract.SourceAPI:
		x.given()
	case contract.SourceBare:
		err = (&visit{explanation: x}).inTree(ctx)
	default:
		err = (&visit{explanation: x}).onDisk(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return contract.FileExplanation{}, ctx.Err()
	case err != nil:
		x.unreadable(err)
	}
	if x.Type != typeFolder && !x.InStep {
		x.wait()
	}
	return x.FileExplanation, nil
}

// The types that are not reasons for skipping.
const (
	typeFile    = "file"
	typeFolder  = "folder"
	typeNothing = "nothing"
)

// typeOf names what is at an absolute path.
func typeOf(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return typeNothing
	case info.IsDir():
		return typeFolder
	}
	return typeOfMode(info.Mode())
}
