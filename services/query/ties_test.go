package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Ids are others in every index, so that an order by them is by chance: of 6
// passages one in 720 is that of the lines.
func TestPassagesThatScoreAlike_StandByPathAndLine(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.PerFile = 10 })
	text := ""
	for i := range 6 {
		text += "retry the message after a delay" + strings.Repeat(" ", i) + "\n\n" // other bytes, the same words
	}
	r.stored("b/retry.txt", text)
	r.stored("a/retry.txt", text)
	k := 12
	for _, off := range [][]string{{"fold"}, {"fold", "signals"}, {"fold", "vector"}, {"fold", "lexical"}, {"fold", "diversify"}} {
		reply := r.search(contract.SearchRequest{Query: "retry the message", K: &k, Off: off, Token: "latest"})
		byPath := map[string][]int{}
		var first []string
		for _, h := range reply.Hits {
			path := string(h.Path)
			if len(byPath[path]) == 0 {
				first = append(first, path)
			}
			byPath[path] = append(byPath[path], h.StartLine)
		}
		if !slices.Equal(first, []string{"a/retry.txt", "b/retry.txt"}) {
			t.Errorf("without %v: the files stand as %v", off, first)
		}
		for path, lines := range byPath {
			if want := []int{1, 3, 5, 7, 9, 11}; !slices.Equal(lines, want) {
				t.Errorf("without %v: %s has the lines %v, want %v", off, path, lines, want)
			}
		}
	}
}

// Of more passages that score alike than a channel gives, it gives those of the
// first paths.
func TestMoreAlikeThanRecalled_ThoseOfTheFirstPathsAreFound(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch = 10 })
	var want []string
	for i := range 40 {
		path := fmt.Sprintf("pkg/file%02d.txt", (i*27)%40)
		r.stored(path, "retry the message after a delay\n")
		if n := fmt.Sprintf("pkg/file%02d.txt", i); i < 5 {
			want = append(want, n)
		}
	}
	k := 5
	reply := r.search(contract.SearchRequest{Query: "retry the message", K: &k, Off: []string{"vector", "fold"}, Token: "latest"}) // the words of paths count there
	var got []string
	for _, h := range reply.Hits {
		got = append(got, string(h.Path))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}
