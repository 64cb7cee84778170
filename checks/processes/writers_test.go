//go:build servers

package processes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	documents = 1000
	writers   = 10
)

// seconds is how long the writers write: FRESHET_SERVERS_SECONDS, else a
// minute.
func seconds(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("FRESHET_SERVERS_SECONDS")
	if text == "" {
		return time.Minute
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("FRESHET_SERVERS_SECONDS is %q, no number", text)
	}
	return time.Duration(n) * time.Second
}

// words are what the documents say at the end: the newest word of each path
// that is there.
type words struct {
	mu   sync.Mutex
	path map[string]string // path to its word; "" is deleted
	n    int               // edits
}

// edit writes documents at random, each writer its own, until ctx ends.
func (d *deployment) edit(ctx context.Context, seed uint64) *words {
	w := &words{path: map[string]string{}}
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			for n := 0; ctx.Err() == nil; n++ {
				w.edit(d, r, i, n)
				select {
				case <-time.After(time.Duration(5+r.IntN(50)) * time.Millisecond):
				case <-ctx.Done():
				}
			}
		})
	}
	wg.Wait()
	return w
}

// edit does one thing to one document of writer i.
func (w *words) edit(d *deployment, r *rand.Rand, i, n int) {
	doc := i*(documents/writers) + r.IntN(documents/writers)
	path := name(doc)
	word := fmt.Sprintf("w%dx%dy", i, n) + letters(r, 10)
	full := filepath.Join(d.root, path)
	switch k := r.IntN(10); {
	case k == 0:
		word = ""
		if err := os.Remove(full); err != nil && !os.IsNotExist(err) {
			d.t.Error(err)
			return
		}
	case k < 3: // another length, so other passages
		if err := os.WriteFile(full, []byte(text(doc, word, 1+r.IntN(12))), 0o644); err != nil {
			d.t.Error(err)
			return
		}
	default:
		if err := os.WriteFile(full, []byte(text(doc, word, 1+doc%5)), 0o644); err != nil {
			d.t.Error(err)
			return
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.path[path] = word
	w.n++
}

func letters(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	return string(b)
}

func name(doc int) string {
	suffix := ".go"
	if doc%4 == 0 {
		suffix = ".md"
	}
	return fmt.Sprintf("part%02d/doc%04d%s", doc%37, doc, suffix)
}

// text is a document with some functions or sections, one of which holds the
// word.
func text(doc int, word string, parts int) string {
	var b strings.Builder
	if doc%4 == 0 {
		fmt.Fprintf(&b, "# Document %d\n\nAbout %s and more.\n", doc, word)
		for i := range parts {
			fmt.Fprintf(&b, "\n## Section %d\n\n%s\n", i, strings.Repeat(fmt.Sprintf("Sentence %d of document %d tells something. ", i, doc), 12))
		}
		return b.String()
	}
	fmt.Fprintf(&b, "package part\n\n// Word is %s.\nconst Word%d = %q\n", word, doc, word)
	for i := range parts {
		fmt.Fprintf(&b, "\n// Function%d of document %d adds numbers.\nfunc Function%dOf%d(values []int) int {\n\tsum := %d\n%s\treturn sum\n}\n",
			i, doc, i, doc, i, strings.Repeat("\tfor _, value := range values {\n\t\tsum += value\n\t}\n", 6))
	}
	return b.String()
}

// fill writes every document once.
func (d *deployment) fill() {
	d.t.Helper()
	for doc := range documents {
		d.write(name(doc), text(doc, fmt.Sprintf("first%dword", doc), 1+doc%5))
	}
}

// check looks for the newest word of some documents, and for none of those
// that are gone.
func (w *words) check(d *deployment, n int) {
	d.t.Helper()
	token := d.token()
	for path, word := range w.path {
		if n--; n < 0 {
			return
		}
		if word != "" {
			d.shows(token, word, path)
		}
	}
}

// rest lets writers and outage go on for a while; false when ctx ended.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
