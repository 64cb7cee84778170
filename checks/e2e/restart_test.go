package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// library writes n files, at most 676, and returns the word of each.
func library(t *testing.T, root string, n int) []string {
	t.Helper()
	words, err := writeLibrary(root, n)
	if err != nil {
		t.Fatal(err)
	}
	return words
}

func writeLibrary(root string, n int) ([]string, error) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	words := make([]string, n)
	for i := range n {
		words[i] = "Volume" + letters[i/26:i/26+1] + letters[i%26:i%26+1]
		shelf := filepath.Join(root, fmt.Sprintf("shelf%d", i%3))
		if err := os.MkdirAll(shelf, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(shelf, words[i]+".go"), []byte(goFile(words[i])), 0o644); err != nil {
			return nil, err
		}
	}
	return words, nil
}

func TestRestartWithoutChanges_WorksNothingAgain(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 30)
	r := up(t, data, root)
	r.counts("chunker", "documents", 30)
	r.counts("embedder", "documents", 30)
	if n := r.counter("embedder", "embedded"); n == 0 {
		t.Error("nothing was embedded")
	}
	r.stop()
	n := storesEqualLog(t, data)

	r = up(t, data, root)
	for _, c := range []struct{ service, counter string }{
		{"watcher", "published"}, {"chunker", "documents"}, {"embedder", "embedded"}, {"indexer", "lexical_put"}, {"indexer", "vector_put"},
	} {
		if n := r.counter(c.service, c.counter); n != 0 {
			t.Errorf("the %s counts %d %s after a restart without changes", c.service, n, c.counter)
		}
	}
	r.shows("latest", words[7], fmt.Sprintf("library/shelf1/%s.go", words[7]))
	r.stop()
	if again := storesEqualLog(t, data); again != n {
		t.Errorf("the stores hold %d ids, before the restart it was %d", again, n)
	}
}

func TestRestart_WorksOnTheDifferencesAlone(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 30)
	r := up(t, data, root)
	r.counts("embedder", "documents", 30)
	passages := r.counter("embedder", "embedded") / 30 // of each file
	r.stop()

	// While nothing runs, one file is edited, one is new, and two go.
	file := func(i int) string { return filepath.Join(root, fmt.Sprintf("shelf%d", i%3), words[i]+".go") }
	write(t, file(3), goFile("Changed"))
	write(t, filepath.Join(root, "shelf9", "new.go"), goFile("Appeared"))
	for _, i := range []int{5, 6} {
		if err := os.Remove(file(i)); err != nil {
			t.Fatal(err)
		}
	}
	r = up(t, data, root)
	token := "latest"
	r.shows(token, "Changed", "library/shelf0/"+words[3]+".go")
	r.shows(token, "Appeared", "library/shelf9/new.go")
	for _, i := range []int{3, 5, 6} {
		r.shows(token, words[i]+"()", "")
	}
	r.shows(token, words[4], "library/shelf1/"+words[4]+".go")
	// The marker of the new state may come on top.
	if n := r.counter("watcher", "published"); n != 4 && n != 5 {
		t.Errorf("%d versions were published for 4 differences", n)
	}
	r.counts("chunker", "documents", 4)
	r.counts("chunker", "chunks", 2*passages) // two files have a new content
	// Of the edited file one passage is another, of the new one all are.
	r.counts("embedder", "embedded", 1+passages)
	r.stop()
	storesEqualLog(t, data)
}
