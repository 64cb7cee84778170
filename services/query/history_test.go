package query

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// TestRandomHistory_ShowsNoGhostAndFindsEachNewestWord drives random histories: documents are
// written and removed, stages catch up or lag, in any order. After every step
// an answer must hold nothing that the log does not have at the very place,
// and must find each document's newest word, settled or not. Every other history
// is asked in several wordings.
func TestRandomHistory_ShowsNoGhostAndFindsEachNewestWord(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			h := &history{rig: newRig(t), random: rand.New(rand.NewPCG(seed, 1)), now: map[string]string{}, word: map[string]string{}, cutAt: map[string]bool{}}
			if seed%2 == 1 {
				h.variants = []string{"common", "func"}
			}
			for range 150 {
				h.step()
				h.check()
			}
		})
	}
}

type history struct {
	*rig
	random *rand.Rand
	now    map[string]string // content by path; absent: none
	word   map[string]string // the newest word of a path
	cutAt  map[string]bool   // CHUNKS has the path
	words  int
	// variants are what each question is asked in, too.
	variants []string
}

func (h *history) step() {
	name := fmt.Sprintf("dir/f%d.go", h.random.IntN(5))
	switch h.random.IntN(7) {
	case 0, 1, 2:
		h.edit(name)
	case 3:
		if h.now[name] != "" {
			h.remove(name)
			delete(h.now, name)
		}
	case 4, 5:
		if h.now[name] != "" || h.cutAt[name] {
			h.cut(name)
			h.cutAt[name] = true
		}
	case 6:
		if h.cutAt[name] {
			h.index(name, document.Sinks[h.random.IntN(2)])
		}
	}
}

// edit puts, replaces or drops a block somewhere, with a word that nobody else
// has.
func (h *history) edit(name string) {
	h.words++
	word := fmt.Sprintf("zq%sword", strings.Repeat(string(rune('a'+h.words%26)), 1+h.words/26))
	block := fmt.Sprintf("func %s() {\n\tcommon(%d)\n}\n", word, h.words)
	parts := strings.SplitAfter(h.now[name], "}\n")
	parts = parts[:len(parts)-1]
	at := h.random.IntN(len(parts) + 1)
	if at < len(parts) && h.random.IntN(2) == 0 {
		parts[at] = block
	} else {
		parts = append(parts[:at:at], append([]string{block}, parts[at:]...)...)
	}
	for i := range parts {
		parts[i] = strings.TrimLeft(parts[i], "\n")
	}
	h.now[name] = strings.Join(parts, "\n")
	h.word[name] = word
	h.write(name, h.now[name])
}

func (h *history) check() {
	h.Helper()
	ask := []string{"common function"}
	for name := range h.now {
		ask = append(ask, h.word[name])
	}
	for _, query := range ask {
		reply := h.search(contract.SearchRequest{Query: query, Variants: h.variants, Text: contract.TextFull})
		found := false
		for _, hit := range reply.Hits {
			content, ok := h.now[string(hit.Path)]
			if !ok {
				h.Fatalf("%q shows the deleted %s at %s", query, hit.Path, reply.Token)
			}
			lines := strings.SplitAfter(content, "\n")
			if hit.EndLine > len(lines) || hit.StartLine < 1 {
				h.Fatalf("%q shows lines %d to %d of %s, which has %d", query, hit.StartLine, hit.EndLine, hit.Path, len(lines))
			}
			if at := strings.Join(lines[hit.StartLine-1:hit.EndLine], ""); !strings.HasPrefix(at, hit.Text) {
				h.Fatalf("%q shows as lines %d to %d of %s:\n%s\nthere is:\n%s", query, hit.StartLine, hit.EndLine, hit.Path, hit.Text, at)
			}
			found = found || strings.Contains(hit.Text, query)
		}
		if !found && query != ask[0] {
			h.Fatalf("%q is not found: %s %+v", query, texts(reply), reply)
		}
	}
}
