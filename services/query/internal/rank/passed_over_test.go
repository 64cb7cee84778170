package rank

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
)

// names returns the paths and the declared names of a part of Go's library, and
// some that it has not got.
func names(t *testing.T) (paths []document.Path, symbols []string) {
	out, err := exec.Command("go", "env", "GOROOT").Output() // a binary that was built with -trimpath does not know
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src", "net")
	declared := regexp.MustCompile(`(?m)^(?:func (?:\(\w+ \*?(\w+)\) )?|type |var )(\w+)`)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		paths = append(paths, document.Path(filepath.ToSlash(rel)))
		text, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			symbols = append(symbols, strings.Trim(m[1]+"."+m[2], "."))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	symbols = append(symbols, "is", "T", "x", "0x1f", "größe.lesen", "tying", "skies", "auth", "HTTP2_v6", "cry", "naïveScan")
	paths = append(paths, "a/größe/lib.rs", "authentication/mod.rs", "urlmap.py", "checker/__init__.py", "x", "the/is.go")
	slices.Sort(symbols)
	return paths, slices.Compact(symbols)
}

func TestNameWithAWordOfTheQuery_IsNotPassedOver(t *testing.T) {
	paths, symbols := names(t)
	if len(symbols) < 5000 {
		t.Fatalf("%d names are too few to tell", len(symbols))
	}
	a, w := analysis.New(), weights(RRF)
	whole := func(string) float64 { return 1 }
	for _, text := range []string{
		"how are idle connections closed after a timeout", "parse an IPv6 address", "is", "auth", "authentication of a user", "check the url map",
		"try to tie entries", "die", "sky", "Transport.roundTrip", "größe lesen", "2", "v6 io x", "http2 server", "naive scan of queries",
	} {
		q, slow := NewQuery(text, a), NewQuery(text, a)
		slow.held = cover.New("7", a, whole) // of one letter everything is near
		if !slow.held.Near("Ab") {
			t.Fatal("the slow way passes names over too")
		}
		for _, s := range symbols {
			if got, want := q.definesOne(s, w), slow.definesOne(s, w); got != want {
				t.Errorf("%q defines %q: %v, want %v", s, text, got, want)
			}
		}
		for _, p := range paths {
			if got, want := ofPath(q, p, w), ofPath(slow, p, w); got != want {
				t.Errorf("%s for %q: %+v, want %+v", p, text, got, want)
			}
		}
	}
}

// ofPath are the signals of a file that nothing but the path is known of.
func ofPath(q *Query, p document.Path, w *Weights) candidate.Signals {
	at := placeOf(p)
	return (&facts{query: q, candidate: &candidate.Candidate{}, at: &at, weights: w}).ofFile(1)
}

func BenchmarkSignals(b *testing.B) {
	var t testing.T
	paths, symbols := names(&t)
	var lists Lists
	for i := range 120 {
		f := found(string(paths[i*7%len(paths)]), strings.Join(symbols[i*37%4000:][:3], "\n"), 9/float64(i+1))
		lists.Lexical = append(lists.Lexical, f)
	}
	q, w := query("how are idle connections to the proxy closed after a timeout of the transport"), weights(RRF)
	all := Fuse(lists, q.Class, w)
	b.ReportAllocs()
	for b.Loop() {
		Signals(all, q, w, nil, false)
	}
}
