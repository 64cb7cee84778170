package siege

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// guest does beside the vulture what it does not: it writes bodies that are
// too large for a message, and adds and removes a source while everything
// runs. It judges its own answers.
type guest struct {
	r   *round
	rng *rand.Rand
	dir string // that the program watches
	// visited is a folder that is a source for a while.
	visited string
	// wordsAlone says that under the round's settings passages that are only like
	// a word may rank before the one that holds it, and a large file has more of
	// them than an answer has hits.
	wordsAlone bool
	// patience is the deadline of its questions.
	patience time.Duration

	held string // the word that the large file holds
	came string // the word of the source that was added last
	was  string // that of the one that was removed
}

// largeBytes of a file compress to more than a message may hold: the body goes
// by the claim check.
const largeBytes = 900_000

// largeFile is the name of the large file.
const largeFile = "large.txt"

// visits is how many files the source has that is there for a while.
const visits = 3

// newGuest returns the guest of a round.
func newGuest(r *round) *guest {
	_, hits := stages(r.entry.Seed)
	return &guest{r: r, rng: stream(r.entry.Seed, forGuest), dir: r.ground.roots["large"], visited: r.ground.roots["visited"], wordsAlone: hits > 0, patience: forms[r.entry.Mode].patience}
}

// run goes on until ctx ends.
func (g *guest) run(ctx context.Context) error {
	for {
		var err error
		if g.rng.IntN(3) == 0 {
			err = g.visit(ctx)
		} else {
			err = g.large(ctx)
		}
		if err != nil {
			return err
		}
		select {
		case <-time.After(between(g.rng, time.Second, 6*time.Second)):
		case <-ctx.Done():
			return nil
		}
	}
}

// large writes or deletes the large file, and asks for what it holds and for
// what it held.
func (g *guest) large(ctx context.Context) error {
	path := filepath.Join(g.dir, largeFile)
	old, now := g.held, word(g.rng)
	var err error
	if old != "" && g.rng.IntN(4) == 0 {
		now, err = "", os.Remove(path)
	} else {
		err = os.WriteFile(path, largeText(g.rng, now), 0o644)
	}
	if err != nil {
		return err
	}
	g.held = now
	g.r.count("large body")
	rep, err := client.Announce.Ask(ctx, g.r.bus.Conn(), contract.Announce{Paths: []string{path}})
	if err == nil { // else it is down
		g.present(ctx, now, rep.Token, place{sourceOf(g.dir), []document.Path{largeFile}})
		g.gone(ctx, old, rep.Token)
	}
	return nil
}

// largeText is a text of lines that do not compress well, with a word in it.
func largeText(rng *rand.Rand, word string) []byte {
	var b bytes.Buffer
	raw := make([]byte, 42)
	for b.Len() < largeBytes {
		for i := range raw {
			raw[i] = byte(rng.Uint32())
		}
		b.WriteString(base64.RawURLEncoding.EncodeToString(raw) + "\n")
		if n := b.Len(); n > largeBytes/2 && n < largeBytes/2+60 {
			fmt.Fprintf(&b, "the heron is called %s here\n", word)
		}
	}
	return b.Bytes()
}

// visit adds a source, asks for what it holds, removes it, and asks again.
func (g *guest) visit(ctx context.Context) error {
	w := word(g.rng)
	g.came = w
	at := place{source: sourceOf(g.visited)}
	for i := range visits {
		name := fmt.Sprintf("visit%d.md", i)
		at.paths = append(at.paths, document.Path(name))
		if err := os.WriteFile(filepath.Join(g.visited, name), fmt.Appendf(nil, "# Visit %d\n\nThe guest is called %s and stays for a while.\n", i, w), 0o644); err != nil {
			return err
		}
	}
	added, err := client.AddSource.Ask(ctx, g.r.bus.Conn(), contract.SourceAdd{Root: g.visited})
	if err == nil {
		g.r.count("source added")
		g.present(ctx, w, added.Token, at)
		g.gone(ctx, g.was, added.Token)
	}
	removed, err := g.remove(ctx)
	if err == nil {
		g.was = w
		g.r.count("source removed")
		g.gone(ctx, w, removed.Token)
	}
	return nil
}

// remove has the source forgotten that was added.
func (g *guest) remove(ctx context.Context) (contract.SourceList, error) {
	req := contract.SourceRemove{Source: sourceOf(g.visited)}
	return client.RemoveSource.Ask(ctx, g.r.bus.Conn(), req)
}

// leave removes the source once more, which a blow may have kept from being
// removed, when nothing strikes any more.
func (g *guest) leave(ctx context.Context) error {
	removed, err := g.remove(ctx)
	switch {
	case document.KindOf(err) == document.NotFound:
		return nil
	case err != nil:
		return fmt.Errorf("remove the source %s: %w", g.visited, err)
	}
	g.gone(ctx, g.came, removed.Token)
	return nil
}

// sourceOf is the name that the source of a folder gets.
func sourceOf(root string) document.Source { return document.Source(filepath.Base(root)) }

// place is where a word stands: in each of these documents, and nowhere else.
type place struct {
	source document.Source
	paths  []document.Path
}

// present asks for a word that a token covers: it has to be found.
func (g *guest) present(ctx context.Context, w string, token document.Token, at place) {
	rep, found, ok := g.ask(ctx, w, token)
	if !ok {
		return
	}
	kind := ""
	if !found && !at.lacking(rep) {
		kind = string(vulture.Missing)
	}
	g.r.answered(kind, fmt.Sprintf("%q of %s with token %s: %s", w, at.source, token, saw(rep)))
}

// gone asks for a word that no document has at a token: nothing may show it.
func (g *guest) gone(ctx context.Context, w string, token document.Token) {
	rep, found, ok := g.ask(ctx, w, token)
	if !ok {
		return
	}
	kind := ""
	if found {
		kind = string(vulture.Ghost)
	}
	g.r.answered(kind, fmt.Sprintf("%q with token %s: %s", w, token, saw(rep)))
}

// ask asks for a word; ok is false where there is nothing to ask for, or nobody
// answers: the program may be down.
func (g *guest) ask(ctx context.Context, w string, token document.Token) (rep contract.SearchReply, found, ok bool) {
	if w == "" || token.IsZero() {
		return rep, false, false
	}
	req := contract.SearchRequest{Query: w, Token: token.String(), Text: contract.TextFull, DeadlineMS: int(g.patience / time.Millisecond)}
	if g.wordsAlone {
		// What looks for words finds nothing but what holds this one, in whatever
		// order.
		req.Off = []string{"vector"}
	}
	rep, err := client.Search.Ask(ctx, g.r.bus.Conn(), req)
	found = slices.ContainsFunc(rep.Hits, func(h contract.Hit) bool { return strings.Contains(h.Text, w) })
	return rep, found, err == nil
}

// lacking reports whether an answer says that it may lack all of a place: it
// names each document as not searched or as given up, or is degraded.
func (p place) lacking(rep contract.SearchReply) bool {
	told := func(path document.Path) bool {
		return slices.ContainsFunc(rep.Pending, func(d contract.PendingPath) bool {
			return d.Source == p.source && d.Path == path && !d.Searched
		}) || slices.ContainsFunc(rep.Failed, func(d contract.FailedPath) bool { return d.Source == p.source && d.Path == path })
	}
	return len(rep.Degraded) > 0 || !slices.ContainsFunc(p.paths, func(path document.Path) bool { return !told(path) })
}

// saw tells of an answer what a person needs to see where a word was lost.
func saw(rep contract.SearchReply) string {
	var stages []string
	for _, t := range rep.Trace {
		stages = append(stages, strings.TrimSpace(fmt.Sprintf("%s %d of %d %s", t.Stage, t.Out, t.In, t.Note)))
	}
	return fmt.Sprintf("answered at %s with %d hits, pending %+v (%s)", rep.Token, len(rep.Hits), rep.Pending, strings.Join(stages, ", "))
}
