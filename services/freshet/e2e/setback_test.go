//go:build prove

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
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
func TestLogThatWentBackIsBelieved(t *testing.T) {
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
	_, err := bus.Call[contract.SearchRequest, contract.SearchReply](t.Context(), r.bus.Conn(), contract.SubjectSearch,
		contract.SearchRequest{Query: "Appeared", Token: late.String()})
	if document.KindOf(err) != document.TokenUnknown {
		t.Errorf("the token %s of the lost part is answered with %v", late, err)
	}
	r.shows(early.String(), words[1], "library/shelf1/"+words[1]+".go")
	r.stop()
	storesEqualLog(t, data)
}
