package apart

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const waders = document.Collection("docs-waders")

// standsIn returns the collections in which a document's passage is found by its word.
func (m *team) standsIn(n int, version string, among ...document.Collection) (in []document.Collection) {
	m.t.Helper()
	rep, err := client.Search.Ask(m.t.Context(), m.bus.Conn(), contract.SearchRequest{Query: word(n, version), Token: "latest", Collections: among, DeadlineMS: m.deadline})
	if err != nil {
		m.t.Fatal(err)
	}
	for _, h := range rep.Hits {
		if string(h.Path) == fmt.Sprintf("bird-%d.md", n) && !slices.Contains(in, h.Collection) {
			in = append(in, h.Collection)
		}
	}
	return in
}

// The watcher, which says what each document belongs to, is replaced before the services
// that know its collection, or after them. Answers are whole in both orders, each
// document ends in the one collection that it belongs to, and the log, the folder and
// the stores agree.
func TestCollectionComesToSingleServices_LosesNoAnswer(t *testing.T) {
	for name, first := range map[string]bool{"the watcher is replaced first": true, "the watcher is replaced last": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newTeam(t, someBirds)
			old := m.crew(1500, all...)
			before := *m.ready().Serving
			m.config = configure(t, m.root, "collections:\n  own:\n    - {name: "+string(waders)+", paths: ['bird-1*.md']}\n")
			replace := func() {
				former := m.watcher
				m.watch()
				former.stop(syscall.SIGTERM, 0)
			}
			end := m.asking(someBirds)
			if first {
				replace()
			}
			now := m.crew(1500, "chunker", "embedder")
			m.stop(&crew{apart: old.apart})
			next := m.crew(1500, "indexer", "query")
			s := m.until("a status of the new query service", func(s contract.StatusReply) bool { return s.Next != nil && s.Next.Pending == 0 })
			if s.Serving.ID() != before.ID() {
				t.Errorf("%+v serves while the former services run", s.Serving)
			}
			m.stop(&crew{within: old.within})
			s = m.until("the new build to serve", func(s contract.StatusReply) bool { return s.Serving.ID() != before.ID() && s.Next == nil })
			if !first {
				replace()
			}
			end()
			placed := bus.FileKey{Source: "birds", Doc: document.DocOf("bird-1.md"), View: document.Worktree}
			for h, _ := m.bus.Files().Get(placed); h.Collection != waders; h, _ = m.bus.Files().Get(placed) {
				m.pause()
			}
			m.alone(s.Serving.ID())
			m.ready()
			for n := range someBirds / 2 {
				want := document.CollectionDocs
				if n == 1 {
					want = waders
				}
				if got := m.standsIn(n, "first"); !slices.Equal(got, []document.Collection{want}) {
					t.Errorf("bird-%d.md is found in %v, want %s", n, got, want)
				}
				if got := m.standsIn(n, "first", waders); (len(got) > 0) != (n == 1) {
					t.Errorf("of %s alone bird-%d.md is found in %v", waders, n, got)
				}
			}
			m.equal()
			m.stop(&crew{apart: now.apart, within: next.within})
		})
	}
}
