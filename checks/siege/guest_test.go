package siege

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// invited returns the guest of a round whose program is ready and whose machine
// may be slow.
func invited(t *testing.T, seed uint64) *guest {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &round{cfg: &Config{Program: self}, dir: t.TempDir(), entry: NewEntry(seed, Embedded)}
	if r.ground, err = r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.ground.env = append(r.ground.env, asProgram+"=1", config.Variable("query.channel_deadline")+"=1m", config.Variable("query.embed_deadline")+"=1m")
	t.Cleanup(func() {
		if r.bus != nil {
			r.bus.Close()
		}
		if err := r.dep.end(); err != nil {
			t.Error(err)
		}
		if log, err := r.dep.written(); t.Failed() && err == nil {
			t.Logf("%s", log)
		}
	})
	if err := r.raise(t.Context()); err != nil {
		t.Fatal(err)
	}
	g := newGuest(r)
	g.patience = config.Default().Query.MaxDeadline
	return g
}

// A large file has more passages than an answer has hits, and settings of the
// search may put those that are only like a word before the one that holds it:
// that is no miss. What is not there at all is one, whatever the settings, and
// so is what should be gone.
func TestGuest_BlamesOnlyWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, seed := range map[string]uint64{"likeness before words": 12, "as configured": 13} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := invited(t, seed)
			if err := g.large(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := g.visit(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := g.r.entry.WithToken; n != 3 || g.r.entry.Broken() != 0 {
				t.Errorf("of 3 questions %d were answered, and %d are said to be wrong: %s", n, g.r.entry.Broken(), g.r.notes)
			}
			clear(g.r.entry.Violations)
			at := place{sourceOf(g.dir), []document.Path{largeFile}}
			rep, err := client.Announce.Ask(t.Context(), g.r.bus.Conn(), contract.Announce{Paths: []string{filepath.Join(g.dir, largeFile)}})
			if err != nil {
				t.Fatal(err)
			}
			g.present(t.Context(), word(g.rng), rep.Token, at)
			g.gone(t.Context(), g.held, rep.Token)
			if want := map[string]int{string(vulture.Missing): 1, string(vulture.Ghost): 1}; !maps.Equal(g.r.entry.Violations, want) {
				t.Errorf("of what is wrong it sees %v: %s", g.r.entry.Violations, g.r.notes)
			}
		})
	}
}

// What is given by request and taken back is judged like what lies in folders.
func TestGiver_BlamesOnlyWhatIsWrong(t *testing.T) {
	t.Parallel()
	by := invited(t, 13)
	g := newGiver(by)
	for range 40 {
		g.change(t.Context())
	}
	if err := g.leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(g.back) == 0 || len(g.held) == 0 || by.r.entry.WithToken < 40 || by.r.entry.Broken() != 0 {
		t.Fatalf("%d words went and %d are there; of %d answers %d are said to be wrong: %s", len(g.back), len(g.held), by.r.entry.WithToken, by.r.entry.Broken(), by.r.notes)
	}
	for path, w := range g.held {
		g.back, g.held[path] = append(g.back, w), word(g.rng)
	}
	if err := g.leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := map[string]int{string(vulture.Missing): len(g.held), string(vulture.Ghost): len(g.held)}; !maps.Equal(by.r.entry.Violations, want) {
		t.Errorf("of what is wrong it sees %v, want %v: %s", by.r.entry.Violations, want, by.r.notes)
	}
}

// An answer that lacks a word is excused by what it says of the documents that
// hold it, and by nothing that it says of others.
func TestMiss_IsExcusedOnlyByItsOwnDocuments(t *testing.T) {
	t.Parallel()
	at := place{"visited", []document.Path{"visit0.md", "visit1.md"}}
	pending := func(source document.Source, path document.Path, searched bool) contract.PendingPath {
		return contract.PendingPath{Source: source, Path: path, Searched: searched}
	}
	failed := contract.FailedPath{Source: "visited", Path: "visit1.md"}
	for name, c := range map[string]struct {
		rep     contract.SearchReply
		lacking bool
	}{
		"it says nothing":    {},
		"others are pending": {rep: contract.SearchReply{Pending: []contract.PendingPath{pending("prey", "visit0.md", false), pending("visited", "visit2.md", false)}}},
		"others have failed": {rep: contract.SearchReply{Failed: []contract.FailedPath{{Source: "prey", Path: "visit0.md"}}}},
		"one of two pending": {rep: contract.SearchReply{Pending: []contract.PendingPath{pending("visited", "visit0.md", false)}}},
		"both were searched": {rep: contract.SearchReply{Pending: []contract.PendingPath{pending("visited", "visit0.md", true), pending("visited", "visit1.md", true)}}},
		"both are pending":   {contract.SearchReply{Pending: []contract.PendingPath{pending("visited", "visit0.md", false), pending("visited", "visit1.md", false)}}, true},
		"pending and failed": {contract.SearchReply{Pending: []contract.PendingPath{pending("visited", "visit0.md", false)}, Failed: []contract.FailedPath{failed}}, true},
		"degraded":           {contract.SearchReply{Degraded: []string{"lexical: it did not answer in time"}}, true},
	} {
		if got := at.lacking(c.rep); got != c.lacking {
			t.Errorf("%s: excused %t", name, got)
		}
	}
}
