package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A document is changed in part and not cut yet. What did not change stands
// beside the new lines and ranks above them.
func TestNewLinesBesideAnUnchangedPassage_AreShown(t *testing.T) {
	const still = "func zebra() int { return 1 }\n"
	for name, c := range map[string]struct{ before, after string }{
		"changed behind it": {still + "\nfunc other() {}\n", still + "\nfunc other() { walrus() }\n"},
		"changed before it": {"func other() {}\n\n" + still, "func other() { walrus() }\n\n" + still},
		"inserted between two": {
			"func quagga() int { return 2 }\n\n" + still,
			"func quagga() int { return 2 }\n\nfunc walrus() {}\n\n" + still,
		},
		"on both sides": {
			"func a() {}\n\n" + still + "\nfunc b() {}\n",
			"func a() { walrus() }\n\n" + still + "\nfunc b() { walrus() }\n",
		},
		"in the line beside it": {still, still + "func walrus() {}"},
		"what it follows is gone": {
			"func gone() {}\n\n" + still + "\nfunc b() {}\n",
			still + "\nfunc b() { walrus() }\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.stored("a.go", c.before)
			token := r.write("a.go", c.after)
			reply := r.search(contract.SearchRequest{Query: "zebra() quagga() walrus", Text: contract.TextFull, DeadlineMS: 100, Token: token.String()})
			if len(reply.Pending) != 1 || !reply.Pending[0].Searched {
				t.Fatalf("pending %+v", reply.Pending)
			}
			if len(reply.Hits) == 0 || !strings.Contains(reply.Hits[0].Text, "zebra") {
				t.Fatalf("the unchanged passage is not the first hit: %s", texts(reply))
			}
			lines := strings.Split(c.after, "\n")
			for i, line := range lines {
				if n := shownTimes(reply, i+1, line); line != "" && n != 1 && strings.ContainsAny(line, "zw") {
					t.Errorf("line %d, %q, is shown %d times in %+v", i+1, line, n, reply.Hits)
				}
			}
			rightLines(t, reply, c.after)
		})
	}
}

// shownTimes counts the hits that show a line at its place.
func shownTimes(reply contract.SearchReply, line int, text string) (n int) {
	for _, h := range reply.Hits {
		if at := line - h.StartLine; at >= 0 && line <= h.EndLine && strings.Split(h.Text, "\n")[at] == text {
			n++
		}
	}
	return n
}

// rightLines checks that each hit stands in the lines that it names, under an id
// of its own.
func rightLines(t *testing.T, reply contract.SearchReply, content string) {
	t.Helper()
	lines := strings.SplitAfter(content, "\n")
	var ids []document.ChunkID
	for _, h := range reply.Hits {
		if want := strings.Join(lines[h.StartLine-1:h.EndLine], ""); strings.TrimSpace(h.Text) != strings.TrimSpace(want) {
			t.Errorf("lines %d to %d are %q, shown as %q", h.StartLine, h.EndLine, want, h.Text)
		}
		if slices.Contains(ids, h.ID) {
			t.Errorf("two hits have the id %s", h.ID)
		}
		ids = append(ids, h.ID)
	}
}

// Lines of a pending document come first, and hold an unchanged passage, or a
// part of one.
func TestUnchangedPassage_DoesNotRepeatNewLines(t *testing.T) {
	r := newRig(t)
	long := "func zebra() {\n" + strings.Repeat("\tstripes()\n", 200) + "}\n"
	r.stored("a.go", "func short() { stripes() }\n\n"+long)
	r.write("a.go", "func short() { stripes() }\n\nfunc walrus() {}\n\n"+long)
	reply := r.search(contract.SearchRequest{Query: "walrus stripes", Text: contract.TextFull})
	seen := texts(reply)
	if n := strings.Count(seen, "func short()"); n != 1 {
		t.Errorf("what new lines hold is shown %d times: %s", n, seen)
	}
	if strings.Count(seen, "func walrus()") != 1 || !strings.Contains(seen, "func zebra()") {
		t.Errorf("shown: %s", seen)
	}
}

// More passages of pending documents match than a channel is asked for at first.
func TestPendingPassagesBehindTheOverfetch_AreShown(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch = 10 })
	const documents = 40
	for i := range documents {
		r.write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("func f%d() { walrus() }\n", i))
	}
	k := 2 * documents
	reply := r.search(contract.SearchRequest{Query: "walrus", K: &k})
	shown := map[document.Path]bool{}
	for _, h := range reply.Hits {
		shown[h.Path] = true
	}
	for _, p := range reply.Pending {
		if p.Searched && !shown[p.Path] {
			t.Errorf("%s was searched, has the word, and is not shown", p.Path)
		}
	}
	if len(shown) != documents {
		t.Errorf("%d documents of %d are shown", len(shown), documents)
	}
}

// A filter asks for a language that the path of a pending document does not tell.
func TestPendingDocumentOfAnUnknownLanguage_IsNotToldAsSearched(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"tool", "walrus.h", "walrus.proto", "walrus.md"} {
		r.write(name, "walrus\n")
	}
	for language, want := range map[string]struct{ shown, searched string }{
		"bash":     {"", "walrus.h walrus.md walrus.proto"},
		"cpp":      {"walrus.h", "walrus.h walrus.md walrus.proto"},
		"protobuf": {"walrus.proto", "walrus.h walrus.md walrus.proto"},
	} {
		reply := r.search(contract.SearchRequest{Query: "walrus", Filter: contract.Filter{Languages: []string{language}}})
		var shown, searched []string
		for _, h := range reply.Hits {
			shown = append(shown, string(h.Path))
		}
		for _, p := range reply.Pending {
			if p.Searched {
				searched = append(searched, string(p.Path))
			}
		}
		slices.Sort(searched)
		if strings.Join(shown, " ") != want.shown || strings.Join(searched, " ") != want.searched || len(reply.Pending) != 4 {
			t.Errorf("%s: shown %v, searched %v of %+v", language, shown, searched, reply.Pending)
		}
	}
}

// A line is so long that it is searched in pieces.
func TestWordBetweenPiecesOfALongLine_IsFound(t *testing.T) {
	r := newRig(t)
	const word = "walrusandcarpenter"
	for before := 2980; before <= 3010; before++ {
		r.write("long.txt", strings.Repeat("x", before-1)+" "+word+" "+strings.Repeat("y ", 2000)+"\n")
		if reply := r.search(contract.SearchRequest{Query: word}); len(reply.Hits) == 0 {
			t.Fatalf("behind %d bytes of a line the word is not found: %+v", before, reply.Pending)
		}
	}
}
