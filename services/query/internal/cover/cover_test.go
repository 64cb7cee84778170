package cover

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
)

func one(string) float64 { return 1 }

// slow is what In has to agree with.
func slow(a *analysis.Analyzer, query, text string) int {
	asked := a.Words(query)
	slices.Sort(asked)
	n := 0
	has := map[string]bool{}
	for _, w := range a.Words(text) {
		has[w] = true
	}
	for _, w := range slices.Compact(asked) {
		if has[w] {
			n++
		}
	}
	return n
}

func TestEveryWord_IsSeen(t *testing.T) {
	a := analysis.New()
	source, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/net/http/transport.go"))
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{
		"", "parseIPv6Address(s)", "PARSE_ADDR", "entries of the queries", "naïve Straße größe", "HTTP2Server x509 db io v6",
		"日本語の検索 and a key", string(source[:4000]), string(source[20000:26000]),
	}
	for _, query := range []string{
		"parse an IPv6 address", "query", "queries", "key", "keys", "db connection", "io", "v6", "x509 2 5", "größe", "日本語",
		"how are idle connections closed after a timeout", "the", "HTTP2Server", "cancelled requests", "dying happily",
	} {
		w := New(query, a, one)
		for _, text := range texts {
			if got, want := w.In([]byte(text)).Count(), slow(a, query, text); got != want {
				t.Errorf("%q in %.40q: %d words, want %d", query, text, got, want)
			}
		}
	}
}

func TestShare_CountsByWeight(t *testing.T) {
	w := New("rotate the key", analysis.New(), func(word string) float64 {
		if word == "key" {
			return 1
		}
		return 3
	})
	if w.Len() != 2 || w.Share(w.In([]byte("a Key"))) != .25 || w.Share(w.In([]byte("keyRotation"))) != 1 || w.Share(0) != 0 {
		t.Errorf("%d words, %v, %v", w.Len(), w.Share(w.In([]byte("a Key"))), w.Share(w.In([]byte("keyRotation"))))
	}
	if empty := New("the", analysis.New(), one); empty.Share(empty.In([]byte("the"))) != 0 {
		t.Error("a query without words is covered")
	}
}

func BenchmarkIn(b *testing.B) {
	source, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src/net/http/transport.go"))
	if err != nil {
		b.Fatal(err)
	}
	a := analysis.New()
	b.SetBytes(15000)
	for b.Loop() {
		w := New("how are idle connections closed after a timeout", a, one)
		for i := range 10 {
			w.In(source[i*1500 : (i+1)*1500])
		}
	}
}
