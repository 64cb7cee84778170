package mcpserver

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// link finds the running freshet when it is asked for the first time, and again
// when that one is gone. It is safe for concurrent use.
type link struct {
	url, data string
	starter   *starter   // nil where nothing is to be started
	given     *nats.Conn // is used, and stays its owner's; nil for none

	mu sync.Mutex
	nc *nats.Conn
}

func (l *link) dial(ctx context.Context) (*nats.Conn, error) {
	if l.given != nil {
		return l.given, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nc != nil && l.nc.IsConnected() {
		return l.nc, nil
	}
	nc, err := instance.DialAsker(ctx, l.url, l.data)
	if document.KindOf(err) == document.NotFound && l.starter != nil {
		if err := l.starter.start(ctx); err != nil {
			return nil, err
		}
		nc, err = instance.DialAsker(ctx, l.url, l.data)
	}
	if err != nil {
		return nil, err
	}
	if l.nc != nil {
		l.nc.Close()
	}
	l.nc = nc
	return nc, nil
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nc != nil {
		l.nc.Close()
	}
}

// scene is what there is to ask about at a moment.
type scene struct {
	nc      *nats.Conn
	sources []contract.SourceInfo
	folder  string          // the project's; "" for a client on another machine
	own     document.Source // that the project lies in, "" for none
	also    document.Source // that is asked with it, "" for none
	notes   []string
}

// rootsTime keeps a busy watcher from holding up the answer where the project is known
// to be watched.
const rootsTime = 500 * time.Millisecond

// unknownTries is how often the list of sources is asked for until the project is known
// to be watched: one that starts has much to do, and has an agent's project first.
const unknownTries = 3

func (s *Server) look(ctx context.Context) (*scene, error) {
	nc, err := s.link.dial(ctx)
	if err != nil {
		return nil, err
	}
	at := &scene{nc: nc, folder: s.folder}
	known := s.link.starter == nil || s.watched.Load()
	list, err := listedSources(ctx, nc, known)
	switch {
	case err != nil && !known:
		return nil, err
	case err != nil:
		at.notes = append(at.notes, sentence("the list of sources is not known, so paths are not those of this machine: "+err.Error(), nil))
		return at, ctx.Err()
	}
	at.sources = list.Sources
	if at.folder == "" {
		return at, ctx.Err()
	}
	own, _, held := named.Holding(at.sources, named.OnDisk(s.folder))
	switch {
	case s.link.starter == nil:
	case !held || !own.Watched:
		s.adopt(ctx, at)
	case own.Scanned.IsZero() && !s.watched.Load():
		if note := s.link.starter.await(ctx, nc, own.Root); note != "" {
			at.notes = append(at.notes, sentence(note, nil))
		}
	}
	if source, _, err := named.Within(at.sources, s.folder); err == nil {
		at.own = source
		s.watched.Store(true)
	}
	if slices.ContainsFunc(at.sources, func(i contract.SourceInfo) bool { return i.Source == s.notes.source }) {
		at.also = s.notes.source
	}
	return at, ctx.Err()
}

// listedSources returns the sources. Whether the project is among them has to be known before
// its first question: an answer out of everything else, or out of nothing, would look
// like one about the project.
func listedSources(ctx context.Context, nc *nats.Conn, known bool) (list contract.SourceList, err error) {
	if known {
		ctx, cancel := context.WithTimeout(ctx, rootsTime)
		defer cancel()
		return client.Sources.Ask(ctx, nc, client.None)
	}
	for range unknownTries {
		list, err = client.Sources.Ask(ctx, nc, client.None)
		if document.KindOf(err) != document.Deadline || ctx.Err() != nil {
			break
		}
	}
	return list, err
}

// adopt has the project watched, and notes what came of it.
func (s *Server) adopt(ctx context.Context, at *scene) {
	sources, note, err := s.link.starter.adopt(ctx)
	if err != nil {
		at.notes = append(at.notes, sentence(err.Error(), document.ActionsOf(err)))
		return
	}
	at.sources, at.notes = sources, append(at.notes, sentence(note, nil))
}

// scope returns the filter of a question: what its source and path say, else the
// project, else everything.
func (at *scene) scope(source, path string) (f contract.Filter, err error) {
	switch {
	case path != "":
		own, rest, err := at.within(path)
		if err != nil {
			return f, err
		}
		if own != "" {
			f.Sources = []document.Source{own}
		}
		if rest != "" {
			f.Paths = []string{rest}
		}
	case source == "" && at.own != "":
		f.Sources = []document.Source{at.own}
		if at.also != "" {
			f.Sources = append(f.Sources, at.also)
		}
	case source == "" && at.folder != "" && len(at.sources) > 0:
		at.notes = append(at.notes, sentence("the folder "+at.folder+" is in no source, so everything that is indexed was asked", document.Acts(document.DoSourceAdd)))
	}
	if source == "" || source == everything {
		return f, nil
	}
	s, err := document.ParseSource(source)
	if err != nil {
		return f, err
	}
	if len(at.sources) > 0 && !slices.ContainsFunc(at.sources, func(i contract.SourceInfo) bool { return i.Source == s }) {
		return f, document.Errorf(document.NotFound, "there is no source %q", source).Do(document.DoSourceList)
	}
	f.Sources = []document.Source{s}
	return f, nil
}

// everything is the source that stands for all.
const everything = "all"

// one returns the document or folder that a path means, and the lines behind it.
func (at *scene) one(source, path string) (document.Source, document.Path, int, int, error) {
	lines := named.Lines
	if at.folder == "" {
		lines = named.LinesElsewhere
	}
	path, from, to, err := lines(path)
	if err != nil {
		return "", "", 0, 0, err
	}
	own, rest, err := at.within(path)
	p := document.TypedPath(rest)
	if p == "." {
		p = ""
	}
	if err == nil && source != "" && source != everything {
		own, err = document.ParseSource(source)
	}
	return own, p, from, to, err
}

// within returns the source that a path means, none where it may be any, and the path
// in it.
func (at *scene) within(path string) (document.Source, string, error) {
	if at.folder == "" {
		return named.WithinElsewhere(at.sources, path)
	}
	return named.Within(at.sources, path)
}

// path names a document as the project sees it: relative to its folder, else
// absolute, and SOURCE:PATH where it is no file, or one of another machine.
func (at *scene) path(source document.Source, path document.Path) string {
	i := slices.IndexFunc(at.sources, func(s contract.SourceInfo) bool { return s.Source == source })
	if i < 0 || at.folder == "" || at.sources[i].Root == "" || at.sources[i].Kind == contract.SourceBare {
		return terminal.Printable(string(source) + ":" + string(path))
	}
	file := filepath.Join(at.sources[i].Root, filepath.FromSlash(path.Raw()))
	if rel, err := filepath.Rel(at.folder, file); err == nil && filepath.IsLocal(rel) {
		file = rel
	}
	return terminal.Printable(file)
}

// where says by what the running freshet was found.
func (l *link) where() string {
	if l.given != nil {
		return "on another machine"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nc != nil && (l.url != "" || os.Getenv(instance.EnvURL) != "") {
		return "of the server " + bus.HideUser(l.nc.ConnectedUrl())
	}
	if path, err := instance.Locate(l.data); err == nil {
		return terminal.Printable(path)
	}
	return l.data
}
