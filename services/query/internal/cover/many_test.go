package cover

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
)

func TestManyQueriesAtOnce_HoldTheWordsOfEachAlone(t *testing.T) {
	a := analysis.New()
	var queries []*Words
	for _, text := range []string{"how is a slice sorted", "dying processes lie", "straße über größe", "x", "HTTP2 server push", "readFile open_file", "binary search insertion point"} {
		queries = append(queries, New(text, a, one))
	}
	many := NewMany(queries, a)
	files, err := filepath.Glob(filepath.Join(runtime.GOROOT(), "src", "s*", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no texts: %v", err)
	}
	held := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, " Straße dying ÜBER x"...)
		sets := make([]Set, len(queries))
		many.In(text, sets)
		for i, w := range queries {
			if want := w.In(text); sets[i] != want {
				t.Fatalf("%s, query %d: %b, alone %b", file, i, sets[i], want)
			}
			held += sets[i].Count()
		}
	}
	if held == 0 {
		t.Fatal("nothing was found at all")
	}
}
