package rank

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

func prefer(t *testing.T, list ...config.Priority) Priorities {
	t.Helper()
	p, err := NewPriorities(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPriority_IsThatOfItsDocuments(t *testing.T) {
	p := prefer(t,
		config.Priority{Source: "api", Factor: 2}, config.Priority{Path: "legacy/", Factor: .5},
		config.Priority{Source: "web", Path: "*.md", Factor: 3}, config.Priority{Path: "[id]/100%.go", Factor: 7},
		config.Priority{Collection: "docs-handbook", Factor: 5},
	)
	for _, c := range []struct {
		source     document.Source
		collection document.Collection
		path       document.Path
		want       float64
	}{
		{"api", "code", "a.go", 2}, {"api", "code", "legacy/a.go", 1}, {"web", "code", "legacy/a.go", .5}, {"web", "docs", "legacy/x/a.md", 1.5},
		{"web", "code", "legacy.go", 1}, {"web", "code", "legacyer/a.go", 1}, {"api", "docs", "a.md", 2}, {"other", "code", "a.go", 1},
		{"other", "code", "[id]/100%25.go", 7}, {"api", "docs-handbook", "a.md", 10}, {"other", "docs", "a.md", 1},
	} {
		if got := p.factor(c.source, c.collection, c.path, ""); got != c.want {
			t.Errorf("%s: %s has %v, want %v", c.source, c.path, got, c.want)
		}
	}
	if got := Priorities(nil).factor("api", "code", "a.go", ""); got != 1 {
		t.Errorf("nothing is configured, and the factor is %v", got)
	}
}

func TestPriority_MovesAFile(t *testing.T) {
	lists := Lists{Lexical: []candidate.Found{found("legacy/first.go", "A", 10), found("second.go", "B", 9), found("legacy/first.go", "C", 8)}}
	q := query("something else")
	for _, fusion := range []string{RRF, Convex} {
		w := weights(fusion)
		w.PenaltyPower = 0
		all := Fuse(lists, q.Class, w)
		Signals(all, q, w, prefer(t, config.Priority{Source: "s", Path: "legacy/**", Factor: .25}), false)
		if all[0].Attrs.Path != "second.go" {
			t.Errorf("%s: first is %s", fusion, all[0].Attrs.Path)
		}
		for i := range all {
			want := 1.0
			if all[i].Attrs.Path != "second.go" {
				want = .25
			}
			if got := all[i].Explain()["priority"]; got != want {
				t.Errorf("%s: the priority of %s is told as %v, not %v", fusion, all[i].Attrs.Path, got, want)
			}
		}
	}
}

// All documents alike count as none of them does.
func TestPriorityOfEverything_LeavesTheOrder(t *testing.T) {
	lists := Lists{Lexical: []candidate.Found{
		found("rate/limiter.go", "Limiter", 10), found("rate/limiter.go", "Take", 9), found("test/b.go", "Other", 8), found("c.go", "C", 7),
	}}
	w, q := weights(Convex), query("rate limiter")
	plain, raised := Fuse(lists, q.Class, w), Fuse(lists, q.Class, w)
	Signals(plain, q, w, nil, false)
	Signals(raised, q, w, prefer(t, config.Priority{Factor: 3}), false)
	for i := range plain {
		if plain[i].ID != raised[i].ID {
			t.Errorf("place %d: %s instead of %s", i+1, raised[i].Attrs.Path, plain[i].Attrs.Path)
		}
	}
}

func TestMalformedPriority_IsRefused(t *testing.T) {
	for _, bad := range []config.Priority{{Factor: 0}, {Factor: 101}, {Source: "A", Factor: 1}, {Path: "/abs", Factor: 1}, {Path: "a[", Factor: 1}, {Path: "../x", Factor: 1}, {Collection: "handbook", Factor: 1}} {
		if _, err := NewPriorities([]config.Priority{bad}); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
