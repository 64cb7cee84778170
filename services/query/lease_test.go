package query

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// told writes what an answer says of a lease in one line.
func told(n *contract.LeaseNews) string {
	if n == nil {
		return "no lease"
	}
	var out []string
	for _, c := range n.Changes {
		line := fmt.Sprintf("%s:%d-%d %s", c.Path, c.StartLine, c.EndLine, c.What)
		if c.What == contract.LeaseMoved {
			line += fmt.Sprintf(" %d-%d", c.NowStart, c.NowEnd)
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (r *rig) check(id string, settle bool) contract.LeaseNews {
	r.Helper()
	news, err := client.CheckLease.Ask(r.Context(), r.bus.Conn(), contract.LeaseCheck{Lease: id, Settle: settle})
	if err != nil {
		r.Fatal(err)
	}
	return news
}

func TestGivenTextChanges_NextAnswerTellsItOnce(t *testing.T) {
	r := newRig(t)
	r.stored("birds/heron.go", herons)
	r.stored("birds/reed.md", "one\ntwo\nthree\nfour\n")
	first := r.search(contract.SearchRequest{Query: "CountHerons path:birds/heron.go", Token: "latest", Lease: contract.LeaseNew})
	id := first.Lease.Lease
	if first.Lease.Holds != len(first.Hits) || told(first.Lease) != "" || len(first.Hits) == 0 {
		t.Fatalf("%+v", first.Lease)
	}
	if got := r.read(contract.ReadRequest{Path: "birds/reed.md", From: 2, To: 3, Lease: id}).Lease; got.Lease != id || got.Holds != len(first.Hits)+1 {
		t.Errorf("%+v", got)
	}
	// Below what was given: no change of it.
	r.write("birds/reed.md", "one\ntwo\nthree\nfour\nfive\n")
	if got := r.check(id, false); told(&got) != "" {
		t.Errorf("what was not given changed: %s", told(&got))
	}
	r.write("birds/reed.md", "zero\none\ntwo\nthree\nfour\nfive\n")
	for range 2 {
		if got := r.check(id, false); told(&got) != "birds/reed.md:2-3 moved 3-4" {
			t.Errorf("it moved, and nobody took that out: %s", told(&got))
		}
	}
	if got := r.read(contract.ReadRequest{Path: "birds/reed.md", From: 1, To: 1, Lease: id}); told(got.Lease) != "birds/reed.md:2-3 moved 3-4" {
		t.Errorf("by a read: %s", told(got.Lease))
	}
	if got := r.check(id, false); told(&got) != "" {
		t.Errorf("it is told twice: %s", told(&got))
	}
	r.write("birds/reed.md", "zero\none\ntwo\nTHREE\nfour\nfive\n")
	grep, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "five", Lease: id})
	if err != nil || told(grep.Lease) != "birds/reed.md:3-4 changed" {
		t.Errorf("by a grep: %s, %v", told(grep.Lease), err)
	}
	r.remove("birds/reed.md")
	if got := r.context(contract.ContextRequest{Query: "CountHerons path:birds/heron.go", Token: "latest", DeadlineMS: 300, Lease: id}); told(got.Lease) != "birds/reed.md:1-1 gone, birds/reed.md:6-6 gone" {
		t.Errorf("by a context: %s", told(got.Lease))
	}
	r.write("birds/heron.go", strings.Replace(herons, "len(herons[pond])", "census(pond)", 1))
	if got := r.check(id, true); !strings.Contains(told(&got), "birds/heron.go:3-") || strings.Contains(told(&got), "reed") || strings.Contains(told(&got), "moved") {
		t.Errorf("what search and context gave: %s", told(&got))
	}
}

func TestUnknownLease_IsRefused(t *testing.T) {
	r := newRig(t)
	for id, kind := range map[string]document.ErrorKind{
		"abcdefghijklmnopqrstuvwxyz": document.NotFound, "x": document.InvalidRequest, "../../etc": document.InvalidRequest,
	} {
		if _, err := client.CheckLease.Ask(t.Context(), r.bus.Conn(), contract.LeaseCheck{Lease: id}); document.KindOf(err) != kind {
			t.Errorf("%s: %v", id, err)
		}
		if _, err := r.ask(contract.SearchRequest{Query: "x", Lease: id}); document.KindOf(err) != kind {
			t.Errorf("a search with %s: %v", id, err)
		}
	}
}

func TestSourceIsRemoved_ItsPathsLeaveTheLeases(t *testing.T) {
	r := newRig(t)
	r.stored("birds/secret.md", "one\ntwo\n")
	id := r.read(contract.ReadRequest{Path: "birds/secret.md", Lease: contract.LeaseNew}).Lease.Lease
	r.remove("birds/secret.md")
	r.settle("birds/secret.md")
	if _, err := bus.ForgetSource(t.Context(), r.bus, "s"); err != nil {
		t.Fatal(err)
	}
	raw, _, err := r.bus.Bucket(contract.BucketLeases).Get(t.Context(), id)
	if err != nil || strings.Contains(string(raw), "secret") {
		t.Errorf("%s, %v", raw, err)
	}
	if got := r.check(id, true); got.Forgotten != 1 || got.Holds != 0 {
		t.Errorf("%+v", got)
	}
	if got := r.check(id, true); got.Forgotten != 0 {
		t.Errorf("it is told twice: %+v", got)
	}
}

// Writers change lines while a reader asks with a lease: what the lease says has to be
// what a reader with all texts would say, whatever the order.
func TestWritersAreAtWork_EveryChangeIsToldAndNoFalseOne(t *testing.T) {
	r := newRig(t)
	const files, lines, edits = 8, 30, 40
	var mu sync.Mutex // of texts; held over a write, so that texts are what the log has
	texts := make([][]string, files)
	name := func(i int) string { return fmt.Sprintf("w/%d.txt", i) }
	for i := range texts {
		for l := range lines {
			texts[i] = append(texts[i], fmt.Sprintf("line %d of %d", l, i))
		}
		r.write(name(i), strings.Join(texts[i], "\n")+"\n")
	}
	var writers sync.WaitGroup
	for w := range 2 {
		writers.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 7))
			for n := range edits {
				i := w*files/2 + rnd.IntN(files/2)
				mu.Lock()
				switch at := rnd.IntN(len(texts[i])); rnd.IntN(3) {
				case 0:
					texts[i][at] = fmt.Sprintf("edit %d of writer %d", n, w)
				case 1:
					texts[i] = slices.Insert(texts[i], at, fmt.Sprintf("new %d of writer %d", n, w))
				case 2:
					if len(texts[i]) > 10 {
						texts[i] = slices.Delete(texts[i], at, at+1)
					}
				}
				r.write(name(i), strings.Join(texts[i], "\n")+"\n")
				mu.Unlock()
			}
		})
	}
	type span struct{ file, from, to int }
	held := map[span]string{} // what the lease holds, with its text
	id, changes, moves := contract.LeaseNew, 0, 0
	apply := func(news *contract.LeaseNews) {
		if news.Unchecked > 0 || news.Dropped > 0 {
			t.Errorf("%+v", news)
		}
		next := map[span]string{}
		for _, c := range news.Changes {
			var f int
			if _, err := fmt.Sscanf(string(c.Path), "w/%d.txt", &f); err != nil {
				t.Fatal(err)
			}
			at := span{f, c.StartLine, c.EndLine}
			text, ok := held[at]
			if !ok {
				t.Errorf("%+v was never given", c)
			}
			delete(held, at)
			if c.What == contract.LeaseMoved {
				next[span{f, c.NowStart, c.NowEnd}] = text
				moves++
			} else {
				changes++
			}
		}
		for at, text := range next {
			held[at] = text
		}
	}
	rnd := rand.New(rand.NewPCG(9, 9))
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		mu.Lock() // what is accepted has to be in the next answer
		f := rnd.IntN(files)
		from := 1 + rnd.IntN(len(texts[f])-4)
		reply := r.read(contract.ReadRequest{Path: document.Path(name(f)), From: from, To: from + rnd.IntN(4), Lease: id})
		id = reply.Lease.Lease
		apply(reply.Lease)
		if _, known := held[span{f, reply.From, reply.To}]; !known {
			held[span{f, reply.From, reply.To}] = reply.Text
		}
		for at, text := range held {
			now := "\n" + strings.Join(texts[at.file], "\n") + "\n"
			lines := append(texts[at.file], "")
			if at.to > len(texts[at.file]) || strings.Join(lines[at.from-1:at.to], "\n")+"\n" != text {
				t.Errorf("%v is held as it was, and has other text now; it stands somewhere: %t", at, strings.Contains(now, "\n"+text))
			}
		}
		mu.Unlock()
	}
	if changes == 0 || moves == 0 {
		t.Errorf("%d changes and %d moves are told", changes, moves)
	}
	t.Logf("%d passages held at the end, %d changes and %d moves told", len(held), changes, moves)
}
