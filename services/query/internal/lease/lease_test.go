package lease_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
)

func given(content string, from, to int) lease.Given {
	start := strings.Count(content[:from], "\n") + 1
	return lease.Given{StartLine: start, Column: lease.ColumnAt([]byte(content), from), Text: []byte(content[from:to])}
}

func TestText_IsFoundWhereItStandsNow(t *testing.T) {
	const was = "one\ntwo\nthree\nfour\n"
	for _, c := range []struct {
		from, to int
		now      string
		line     int // 0: nowhere
	}{
		{4, 13, was, 2},
		{4, 14, was, 2}, // with its line break
		{4, 13, "zero\none\ntwo\nthree\n", 3},
		{4, 13, "two\nthree\n", 1},
		{4, 13, "two\nthree", 1},
		{4, 14, "two\nthree", 0},
		{4, 13, "one\ntwo\nTHREE\nfour\n", 0},
		{4, 13, "one\ntwo\nthree more\nfour\n", 2}, // all that was given is there
		{5, 7, "zero\none\ntwo\n", 3},              // a part of a line
		{4, 7, "two\none\ntwo\ntwo\n", 1},          // the nearest, before rather than behind
		{4, 13, "", 0},
	} {
		g := given(was, c.from, c.to)
		p := g.Passage()
		line, ok := lease.Find([]byte(c.now), &p)
		if line != c.line || ok != (c.line > 0) {
			t.Errorf("%q in %q: line %d, %t; want %d", was[c.from:c.to], c.now, line, ok, c.line)
		}
	}
}

// What plain search says is what the hash has to say, without the text.
func TestRandomEdits_FindAgreesWithSearch(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 2))
		lines := make([]string, 1+r.IntN(12))
		for i := range lines {
			lines[i] = fmt.Sprintf("%d", r.IntN(4))
		}
		was := strings.Join(lines, "\n")
		first := r.IntN(len(lines))
		last := first + r.IntN(len(lines)-first)
		text := strings.Join(lines[first:last+1], "\n")
		g := lease.Given{StartLine: first + 1, Text: []byte(text)}
		p := g.Passage()
		now := slices.Clone(lines)
		for range r.IntN(3) {
			switch at := r.IntN(len(now)); r.IntN(3) {
			case 0:
				now[at] = "x"
			case 1:
				now = slices.Insert(now, at, "y")
			case 2:
				if len(now) > 1 {
					now = slices.Delete(now, at, at+1)
				}
			}
		}
		content := strings.Join(now, "\n")
		stands := strings.Contains("\n"+content+"\n", "\n"+text+"\n")
		line, ok := lease.Find([]byte(content), &p)
		if ok != stands || ok && !strings.HasPrefix(strings.Join(now[line-1:], "\n"), text) {
			t.Fatalf("seed %d: %q in %q, now %q: line %d, %t, want %t", seed, text, was, content, line, ok, stands)
		}
	}
}

func TestLeaseIsFull_OldestLeaveIt(t *testing.T) {
	var l contract.Lease
	all := make([]lease.Given, contract.MostLeased+5)
	for i := range all {
		all[i] = lease.Given{StartLine: i + 1, Text: []byte("text")}
	}
	if n := lease.Add(&l, all); n != 5 || len(l.Passages) != contract.MostLeased || l.Passages[0].StartLine != 6 {
		t.Errorf("%d left, %d stay, the first of line %d", n, len(l.Passages), l.Passages[0].StartLine)
	}
	if n := lease.Add(&l, all[5:]); n != 0 || len(l.Passages) != contract.MostLeased {
		t.Errorf("what is in it already: %d left", n)
	}
}
