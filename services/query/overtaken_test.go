package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A search finds another document changed in each of its rounds: of many that
// change at once, as when a branch is switched.
func TestDocumentsChangeInEveryRound_AllAreShown(t *testing.T) {
	r := newRig(t)
	const rounds = 6
	name := func(i int) string { return fmt.Sprintf("f%d.go", i) }
	for i := range rounds {
		r.stored(name(i), fmt.Sprintf("needle before %d\n", i))
	}
	round := 0
	r.lexical.then = func() {
		if round < rounds {
			r.stored(name(round), fmt.Sprintf("needle after %d\n", round))
			round++
		}
	}
	reply := r.search(contract.SearchRequest{Query: "needle"})
	shown := map[string]bool{}
	for _, h := range reply.Hits {
		shown[strings.TrimSpace(h.Text)] = true
	}
	for i := range rounds {
		if want := fmt.Sprintf("needle after %d", i); !shown[want] {
			t.Errorf("%q is missing: %v", want, shown)
		}
	}
}

// A document changes faster than it can be searched.
func TestDocumentChangesFasterThanItIsSearched_AnswerTellsIt(t *testing.T) {
	r := newRig(t)
	r.stored("still.go", "needle\n")
	r.stored("busy.go", "needle 0\n")
	round := 0
	r.lexical.then = func() {
		round++
		r.stored("busy.go", fmt.Sprintf("needle %d\n", round))
	}
	reply := r.search(contract.SearchRequest{Query: "needle"})
	var told int
	for _, p := range reply.Pending {
		if p.Path == "busy.go" && !p.Searched {
			told++
		}
	}
	if told != 1 {
		t.Errorf("after %d rounds it is told %d times: %+v", round, told, reply.Pending)
	}
}

// A version of which a passage ends in the middle of what is a line now, or begins there,
// as where a file was read while it was written.
func TestLineOfAPassageHasGrown_NoPartOfItIsShownAsALine(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"its end":       {"func waits() {\n\t// the heron waits", "func waits() {\n\t// the heron waits for a minute\n}\n"},
		"its beginning": {"heron waits\n", "the heron waits\n"},
		"both":          {"heron", "the heron waits\n"},
		"behind space":  {"func waits() {\n\t// the heron \t", "func waits() {\n\t// the heron \twaits\n}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.stored("wait.go", c.before)
			written := false
			r.lexical.then = func() {
				if !written {
					written = true
					if err := r.bus.Files().Wait(r.Context(), r.write("wait.go", c.after).Seq); err != nil {
						t.Error(err)
					}
				}
			}
			reply := r.search(contract.SearchRequest{Query: "heron", Text: contract.TextFull, DeadlineMS: 10_000})
			if len(reply.Hits) == 0 {
				t.Fatal("nothing is found")
			}
			whole := strings.Split(c.after, "\n")
			for _, h := range reply.Hits {
				for i, line := range strings.Split(strings.TrimSuffix(h.Text, "\n"), "\n") {
					if at := h.StartLine - 1 + i; at >= len(whole) || line != whole[at] {
						t.Errorf("line %d is shown as %q of %q", at+1, line, c.after)
					}
				}
			}
		})
	}
}
