//go:build prove

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet"
)

// copyFolder makes to a copy of from, and of nothing else.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// The log is put back to an earlier copy while nothing runs: the stores are
// ahead of it, and tokens are out that it does not know.
func TestLogThatWentBack_IsNotBelieved(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	file := func(i int) string { return filepath.Join(root, fmt.Sprintf("shelf%d", i%3), words[i]+".go") }
	r := up(t, data, root)
	early := r.ready.Token
	r.stop()
	backup := filepath.Join(t.TempDir(), "log")
	copyFolder(t, filepath.Join(data, "log"), backup)

	// What the copy does not know: an edit, a new file, and one that goes.
	r = up(t, data, root)
	write(t, file(3), goFile("Rewritten"))
	write(t, filepath.Join(root, "new.go"), goFile("Appeared"))
	if err := os.Remove(file(4)); err != nil {
		t.Fatal(err)
	}
	late := r.look(file(3), filepath.Join(root, "new.go"), file(4))
	r.shows(late.String(), "Appeared", "library/new.go")
	// Feedback is of the log, and says nothing of how far that is.
	praise := contract.Feedback{Kind: contract.FeedbackUp, Query: "Appeared", Token: late, Hits: []contract.FeedbackHit{{Source: "library", Path: "new.go"}}}
	ask[contract.Feedback, contract.FeedbackReply](t, r.bus, contract.SubjectFeedback, praise)
	r.stop()
	copyFolder(t, backup, filepath.Join(data, "log"))
	// Another edit, so that the sequences of the lost part stand for something
	// else soon.
	write(t, file(3), goFile("Another"))
	for i := 5; i < 10; i++ {
		write(t, file(i), goFile(words[i]+"Other"))
	}

	began := time.Now()
	r = up(t, data, root)
	r.settled()
	t.Logf("equal %s after the start", time.Since(began).Round(time.Millisecond))
	r.shows("latest", "Rewritten", "")
	r.shows("latest", "Another", "library/shelf0/"+words[3]+".go")
	r.shows("latest", "Appeared", "library/new.go")
	r.shows("latest", words[4], "")
	_, err := client.Search.Ask(t.Context(), r.bus.Conn(), contract.SearchRequest{Query: "Appeared", Token: late.String()})
	if document.KindOf(err) != document.TokenUnknown {
		t.Errorf("the token %s of the lost part is answered with %v", late, err)
	}
	if rep := ask[contract.Feedback, contract.FeedbackReply](t, r.bus, contract.SubjectFeedback, praise); rep.Repeated {
		t.Errorf("an event that was lost is taken for a repeated one: %+v", rep)
	}
	r.shows(early.String(), words[1], "library/shelf1/"+words[1]+".go")
	r.stop()
	storesEqualLog(t, data)
}

// The clock runs a month ahead, is set back between two runs and during one, and
// FILES is made again by that older clock: neither versions nor tokens may begin
// below those that are out.
func TestClockIsSetBack_OldVersionsDoNotWin(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	name := func(i int) string { return fmt.Sprintf("shelf%d/%s.go", i%3, words[i]) }
	file := func(i int) string { return filepath.Join(root, name(i)) }
	var ahead atomic.Int64 // a time.Duration
	run := func() *rig {
		return upWith(t, data, func(o *freshet.Options) {
			o.Clock = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		}, root)
	}
	var last document.Token
	newer := func(token document.Token, same bool) {
		t.Helper()
		if token.Seq <= last.Seq || token.Epoch < last.Epoch || same != (token.Epoch == last.Epoch) {
			t.Errorf("the token %s follows %s", token, last)
		}
		last = token
	}
	edit := func(r *rig, i int, word string) {
		t.Helper()
		write(t, file(i), goFile(word))
		newer(r.look(file(i)), true)
		r.shows(last.String(), word, "library/"+name(i))
		r.shows(last.String(), words[i], "")
	}

	ahead.Store(int64(30 * 24 * time.Hour))
	r := run()
	last = r.ready.Token
	edit(r, 1, "Ahead")
	// Written by the clock that is ahead, and then again within the same stamp.
	stamp := time.Now().Add(time.Duration(ahead.Load()))
	for _, word := range []string{"Former", "Latter"} {
		write(t, file(2), goFile(word))
		if err := os.Chtimes(file(2), stamp, stamp); err != nil {
			t.Fatal(err)
		}
		r.shows(r.look(file(2)).String(), word, "library/"+name(2))
	}
	first := last
	r.stop()

	ahead.Store(0)
	r = run()
	newer(r.ready.Token, false)
	edit(r, 3, "Behind")
	ahead.Store(-int64(365 * 24 * time.Hour))
	edit(r, 4, "Yesteryear")
	if err := os.Remove(file(5)); err != nil {
		t.Fatal(err)
	}
	newer(r.look(file(5)), true)
	r.shows(last.String(), words[5], "")
	r.equal()
	r.stop()

	offline(t, data, func(b *bus.Bus) {
		if err := b.JetStream().DeleteStream(t.Context(), contract.StreamFiles); err != nil {
			t.Fatal(err)
		}
	})
	if err := os.Remove(file(6)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	r = run()
	r.settled()
	t.Logf("equal %s after the start with a new FILES", time.Since(began).Round(time.Millisecond))
	newer(r.ready.Token, false)
	if n := r.counter("embedder", "embedded"); n != 0 {
		t.Errorf("%d passages were embedded again", n)
	}
	edit(r, 7, "Afterwards")
	r.shows("latest", words[6], "")
	for i, word := range map[int]string{1: "Ahead", 2: "Latter", 3: "Behind", 4: "Yesteryear"} {
		r.shows(first.String(), word, "library/"+name(i))
	}
	r.stop()
	storesEqualLog(t, data)
}
