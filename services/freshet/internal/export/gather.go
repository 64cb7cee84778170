package export

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Wanted is what is exported.
type Wanted struct {
	Filter contract.Filter
	Token  string // the export is at least as fresh
	// Settle is how long, once all was read, what is pending is waited for, and what
	// goes on changing is asked for again.
	Settle time.Duration
	// Show is told how far it is: documents that are read, of all.
	Show func(done, of int)
}

// batch is how many documents one request names.
const batch = 128

// key names a document in a view.
type key struct {
	source document.Source
	path   document.Path
	view   document.View
}

// place is where a document lies in the spool.
type place struct {
	version document.Version
	state   contract.PassagesState
	round   int     // that listed it last
	parts   []int64 // where its parts begin
}

// gathered is one state of the log.
type gathered struct {
	sum   contract.FilesSummary // of the list that it is the state of
	docs  map[key]*place
	spool *spool
}

// gather asks for everything, and for what has changed meanwhile, until all that one list
// names is there. The error is Unavailable where that does not come about.
func gather(ctx context.Context, nc *nats.Conn, w Wanted, s *spool) (*gathered, error) {
	g := &gathered{docs: map[key]*place{}, spool: s}
	var until time.Time // none while the first round lasts
	for round := 1; ; round++ {
		missing, err := g.list(ctx, nc, w, round)
		if err != nil {
			return nil, err
		}
		moved, pending, err := g.fetch(ctx, nc, w, missing, until)
		if err != nil {
			return nil, err
		}
		late := !until.IsZero() && !time.Now().Before(until)
		switch {
		case moved == nil && (pending == nil || late):
			return g, nil
		case late:
			return nil, document.Errorf(document.Unavailable,
				"%s of %s changed each time that it was read: export when less is written, or allow more time for that", moved.Path, moved.Source)
		case until.IsZero():
			until = time.Now().Add(w.Settle)
		}
		w.Token = "" // what it asks for is there
	}
}

// list takes the state of the log now, forgets what is no longer in it, and returns what
// has to be asked for.
func (g *gathered) list(ctx context.Context, nc *nats.Conn, w Wanted, round int) (missing []contract.PassagesOf, err error) {
	ended := false
	err = client.Files.Each(ctx, nc, contract.FilesRequest{Paths: true, Filter: w.Filter, Token: w.Token}, func(p contract.FilesPart) error {
		for i := range p.Files {
			f := &p.Files[i]
			at := g.docs[key{f.Source, f.Path, f.View}]
			if at != nil {
				at.round = round
			}
			if at == nil || at.version != f.Version || at.state == contract.PassagesPending {
				missing = append(missing, contract.PassagesOf{Source: f.Source, Path: f.Path, View: f.View, Version: f.Version})
			}
		}
		if p.Summary != nil {
			g.sum, ended = *p.Summary, true
		}
		return nil
	})
	if err == nil && !ended {
		err = document.Errorf(document.VersionMismatch, "the answer on %s has no summary: use the version of freshet that is running", client.Files.Subject())
	}
	for k, at := range g.docs {
		if at.round != round {
			delete(g.docs, k)
		}
	}
	return missing, err
}

// fetch has what documents are cut into written into the spool. It returns one that is no
// longer of the version that was listed, and one whose passages are not there; from the
// second round on it waits for these.
func (g *gathered) fetch(ctx context.Context, nc *nats.Conn, w Wanted, missing []contract.PassagesOf, until time.Time) (moved, pending *contract.PassagesOf, err error) {
	all := len(missing)
	var again []contract.PassagesOf
	for len(missing) > 0 || len(again) > 0 {
		if len(missing) == 0 {
			pending = &again[0]
			if moved != nil || until.IsZero() || !time.Now().Before(until) {
				return moved, pending, nil
			}
			missing, again = again, nil
		}
		if w.Show != nil {
			w.Show(all-len(missing)-len(again), all)
		}
		ask := contract.PassagesRequest{Documents: missing[:min(batch, len(missing))]}
		if !until.IsZero() {
			ask.Token, ask.DeadlineMS = "latest", int(max(min(time.Until(until), 2*time.Second), 100*time.Millisecond).Milliseconds())
		}
		reply, err := client.Passages.Ask(ctx, nc, ask)
		if err != nil {
			return nil, nil, err
		}
		if len(reply.Documents) == 0 || len(reply.Documents) > len(ask.Documents) {
			return nil, nil, document.Errorf(document.VersionMismatch, "the answer on %s is not about what was asked: use the version of freshet that is running", client.Passages.Subject())
		}
		for i := range reply.Documents {
			d, of := &reply.Documents[i], missing[i]
			state, err := g.keep(d, &of)
			switch {
			case err != nil:
				return nil, nil, err
			case state == contract.PassagesMoved:
				moved = &of
			case state == contract.PassagesPending:
				again = append(again, of)
			}
		}
		last := len(reply.Documents) - 1
		if next := reply.Documents[last].Next; next > 0 {
			missing = missing[last:]
			missing[0].From = next
		} else {
			missing = missing[last+1:]
		}
	}
	return moved, nil, nil
}

// keep takes up a part of a document, and returns whether it is there. Of one that has
// moved the next list tells what has become of it.
func (g *gathered) keep(d *contract.DocumentPassages, of *contract.PassagesOf) (contract.PassagesState, error) {
	k := key{of.Source, of.Path, of.View}
	if d.State == contract.PassagesMoved || d.Version != of.Version {
		delete(g.docs, k)
		return contract.PassagesMoved, nil
	}
	at := g.docs[k]
	if at == nil || of.From == 0 {
		at = &place{version: d.Version}
		g.docs[k] = at
	}
	at.state = d.State
	begin, err := g.spool.add(d)
	at.parts = append(at.parts, begin)
	return d.State, err
}

// keys are those of all documents, by source, path and view.
func (g *gathered) keys() []key {
	out := make([]key, 0, len(g.docs))
	for k := range g.docs {
		out = append(out, k)
	}
	slices.SortFunc(out, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.path, b.path), cmp.Compare(a.view, b.view))
	})
	return out
}

// each calls fn with every document, whole or part by part: first is true for the first
// part of each.
func (g *gathered) each(ctx context.Context, show func(done, of int), fn func(d *contract.DocumentPassages, first bool) error) error {
	keys := g.keys()
	for i, k := range keys {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if show != nil {
			show(i, len(keys))
		}
		for n, begin := range g.docs[k].parts {
			d, err := g.spool.read(begin)
			if err != nil {
				return err
			}
			if err := fn(&d, n == 0); err != nil {
				return err
			}
		}
	}
	return nil
}
