package counted

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// partsEach is how many functions a document has: as many passages.
const partsEach = 5

// Tree is a folder of Go files none of whose texts is ever written twice, so
// that each text that was embedded twice was embedded in vain once. It is not
// safe for concurrent use.
type Tree struct {
	root  string
	rng   *rand.Rand
	parts [][]string // words of the functions of each document
	last  []string   // the newest word of each
}

// NewTree writes that many documents below root.
func NewTree(root string, documents int, seed uint64) (*Tree, error) {
	t := &Tree{root: root, rng: rand.New(rand.NewPCG(seed, 1)), parts: make([][]string, documents), last: make([]string, documents)}
	for doc := range t.parts {
		for range partsEach {
			t.last[doc] = t.word()
			t.parts[doc] = append(t.parts[doc], t.last[doc])
		}
		if err := t.write(doc); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Edit gives one function after the other another word until ctx ends; then it
// returns how often.
func (t *Tree) Edit(ctx context.Context, every time.Duration) (edits int, err error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return edits, nil
		}
		doc := t.rng.IntN(len(t.parts))
		t.last[doc] = t.word()
		t.parts[doc][t.rng.IntN(partsEach)] = t.last[doc]
		if err := t.write(doc); err != nil {
			return edits, err
		}
		edits++
	}
}

// Words returns the newest word of each document by its path.
func (t *Tree) Words() map[string]string {
	out := map[string]string{}
	for doc, word := range t.last {
		out[path(doc)] = word
	}
	return out
}

func path(doc int) string { return fmt.Sprintf("part%02d/doc%04d.go", doc%17, doc) }

func (t *Tree) word() string {
	b := []byte("Word")
	for range 14 {
		b = append(b, 'a'+byte(t.rng.IntN(26)))
	}
	return string(b)
}

func (t *Tree) write(doc int) error {
	var b strings.Builder
	b.WriteString("package part\n")
	for _, word := range t.parts[doc] {
		fmt.Fprintf(&b, "\n// %s adds numbers.\nfunc %s(values []int) int {\n\tsum := 0\n%s\treturn sum\n}\n",
			word, word, strings.Repeat("\tfor _, value := range values {\n\t\tsum += value\n\t}\n", 18))
	}
	file := filepath.Join(t.root, path(doc))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("write a document: %w", err)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		return fmt.Errorf("write a document: %w", err)
	}
	return nil
}
