package merge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	source document.Source = "src"
	path   document.Path   = "a.go"
)

// cut makes a split of one chunk per word.
func cut(content string) (document.Hash, Split) {
	s := Split{Language: "go", Text: []byte(content)}
	pos := 0
	for _, word := range strings.Fields(content) {
		start := pos + strings.Index(content[pos:], word)
		pos = start + len(word)
		s.Spans = append(s.Spans, document.Span{StartByte: start, EndByte: pos, StartLine: 1, EndLine: 1, Kind: document.KindBlock})
	}
	return document.HashOf(s.Text), s
}

// step is one version: view and content, "-" for a deletion.
type step struct {
	view    document.View
	content string
}

// play applies steps as versions 1, 2, … and returns each state.
func play(steps []step) []State {
	s := State{Covers: contract.Covers{}}
	var out []State
	for i, st := range steps {
		c := Change{View: st.view, Version: document.Version(i + 1)}
		var sp Split
		if st.content != "-" {
			c.Hash, sp = cut(st.content)
		}
		s = Apply(source, path, s, c, sp)
		out = append(out, s)
	}
	return out
}

// show writes a state as "word@born …" for each content, in order.
func show(s State) string {
	var out []string
	for _, c := range s.Contents {
		var words []string
		for _, chunk := range c.Chunks {
			words = append(words, fmt.Sprintf("%s@%d", c.Text[chunk.StartByte:chunk.EndByte], chunk.Born))
		}
		out = append(out, strings.Join(words, " "))
	}
	return strings.Join(out, " | ")
}

func TestVersions_AreMergedViewByView(t *testing.T) {
	for name, test := range map[string]struct {
		steps []step
		want  []string
	}{
		"an edit keeps what stays": {
			[]step{{"w", "a b c"}, {"w", "a x c"}, {"w", "x c d"}},
			[]string{"a@1 b@1 c@1", "a@1 x@2 c@1", "x@2 c@1 d@3"},
		},
		"a revert is born again": {
			[]step{{"w", "a"}, {"w", "b"}, {"w", "a"}},
			[]string{"a@1", "b@2", "a@3"},
		},
		"two views share a content": {
			[]step{{"main", "a b"}, {"dev", "a b"}},
			[]string{"a@1 b@1", "a@1 b@1"},
		},
		"two views with different contents share chunks": {
			[]step{{"main", "a b"}, {"dev", "a c"}, {"main", "a c"}, {"dev", "b c"}},
			[]string{"a@1 b@1", "a@1 b@1 | a@1 c@2", "a@1 c@2", "a@1 c@2 | b@4 c@2"},
		},
		"a view that goes takes its content along": {
			[]step{{"main", "a"}, {"dev", "b"}, {"main", "-"}, {"dev", "-"}},
			[]string{"a@1", "a@1 | b@2", "b@2", ""},
		},
		"a path that is deleted and added again is born again": {
			[]step{{"w", "a"}, {"w", "-"}, {"w", "a"}},
			[]string{"a@1", "", "a@3"},
		},
		"equal chunks are told apart by their occurrence": {
			[]step{{"w", "a a b"}, {"w", "b a a a"}, {"w", "a"}},
			[]string{"a@1 a@1 b@1", "b@1 a@1 a@1 a@2", "a@1"},
		},
		"a version that changes nothing keeps everything": {
			[]step{{"w", "a b"}, {"w", "a b"}},
			[]string{"a@1 b@1", "a@1 b@1"},
		},
		"an empty content is a content": {
			[]step{{"w", ""}, {"w", "a"}},
			[]string{"", "a@2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for i, s := range play(test.steps) {
				if got := show(s); got != test.want[i] {
					t.Errorf("after step %d: %q, want %q", i+1, got, test.want[i])
				}
				if got := s.Covers.At(test.steps[i].view).Version; got != document.Version(i+1) {
					t.Errorf("after step %d the view is covered at %d", i+1, got)
				}
			}
		})
	}
}

// Ids are part of stores and logs that exist: they must not change.
func TestIds_AreThoseOfTheGolden(t *testing.T) {
	states := play([]step{{"w", "alpha beta alpha"}, {"w", "beta gamma"}, {"w", "alpha"}})
	var got []string
	for _, s := range states {
		for _, c := range s.Contents[0].Chunks {
			got = append(got, c.ID.String())
		}
	}
	want := []string{
		"5f8e7fa6-9b4a-5223-ab61-fdbb71b12084", // alpha, occurrence 0, born in 1
		"c1b22709-561f-57b9-8ead-f65cfc5a2814", // beta, occurrence 0, born in 1
		"f70e9453-8a38-528c-9d65-4473fd7d213e", // alpha, occurrence 1, born in 1
		"c1b22709-561f-57b9-8ead-f65cfc5a2814", // beta, occurrence 0, born in 1
		"3b4fb2b3-7646-5049-8b38-1cba0c23eed4", // gamma, occurrence 0, born in 2
		"8a1d55ee-e1af-5df4-a4a4-dbec798a6427", // alpha, occurrence 0, born in 3
	}
	if !slices.Equal(got, want) {
		t.Errorf("ids are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRename_IsAnotherPathWithOtherIds(t *testing.T) {
	hash, sp := cut("a")
	c := Change{View: "w", Version: 1, Hash: hash}
	empty := State{Covers: contract.Covers{}}
	one, two := Apply(source, "a.go", empty, c, sp), Apply(source, "b.go", empty, c, sp)
	if one.Contents[0].Chunks[0].ID == two.Contents[0].Chunks[0].ID {
		t.Error("two paths share an id")
	}
	if one.Contents[0].Chunks[0].Digest != two.Contents[0].Chunks[0].Digest {
		t.Error("the same chunk has another digest under another path")
	}
}

func TestApply_LeavesTheStateBeforeAsItWas(t *testing.T) {
	states := play([]step{{"w", "a b"}, {"w", "b c"}, {"w", "-"}})
	if got := show(states[0]); got != "a@1 b@1" || states[0].Covers.At("w").Version != 1 {
		t.Errorf("the first state became %q at %d", got, states[0].Covers.At("w").Version)
	}
}

func TestCovered_IsToldByVersionAndHash(t *testing.T) {
	s := State{Covers: contract.Covering("w", contract.Cover{Version: 5, Hash: "h"})}
	for _, test := range []struct {
		c    Change
		want bool
	}{
		{Change{View: "w", Version: 4, Hash: "x"}, true},
		{Change{View: "w", Version: 5, Hash: "h"}, true},
		{Change{View: "w", Version: 5, Hash: "other"}, false}, // the log went back
		{Change{View: "w", Version: 6, Hash: "h"}, false},
		{Change{View: "v", Version: 1, Hash: ""}, false},
	} {
		if got := s.Covered(test.c); got != test.want {
			t.Errorf("Covered(%+v) is %t", test.c, got)
		}
	}
}

// Every field that a sink is given counts, and none runs into the next.
func TestDigest_TellsFieldsApart(t *testing.T) {
	base := document.Span{Symbol: "ab", Kind: "c", Signature: "d", Headings: []string{"e", "f"}, Context: "g", Label: "h"}
	seen := map[document.Hash]string{}
	add := func(name, language string, span document.Span, text string) {
		d, _ := Digest(nil, language, &span, []byte(text))
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	add("base", "go", base, "text")
	add("language", "c", base, "text")
	add("text", "go", base, "tex")
	change := func(name string, fn func(*document.Span)) {
		span := base
		fn(&span)
		add(name, "go", span, "text")
	}
	change("symbol", func(s *document.Span) { s.Symbol = "a" })
	change("a byte moved from symbol to kind", func(s *document.Span) { s.Symbol, s.Kind = "a", "bc" })
	change("kind", func(s *document.Span) { s.Kind = "" })
	change("signature", func(s *document.Span) { s.Signature = "" })
	change("headings joined", func(s *document.Span) { s.Headings = []string{"ef"} })
	change("headings dropped", func(s *document.Span) { s.Headings = nil })
	change("context", func(s *document.Span) { s.Context = "" })
	change("names", func(s *document.Span) { s.Names = []string{"ij"} })
	change("a name more", func(s *document.Span) { s.Names = []string{"i", "j"} })
	change("label", func(s *document.Span) { s.Label = "" })
	moved := base
	moved.StartLine, moved.StartByte, moved.Fallback = 9, 9, "reason"
	d, _ := Digest(nil, "go", &moved, []byte("text"))
	if seen[d] != "base" {
		t.Error("lines, offsets or the fallback's reason count")
	}
}

// A content whose text is made in another way is made anew, whoever shows it.
func TestAnotherFormat_MakesTheTextAnew(t *testing.T) {
	hash, sp := cut("raw")
	s := Apply(source, path, State{Covers: contract.Covers{}}, Change{View: "w", Version: 1, Hash: hash}, sp)
	_, made := cut("made raw")
	made.Format = "jupyter-1"
	made.Parts = []document.Located{{End: 4, Part: document.Part{Kind: document.PartCell, From: 1, To: 1}}}
	c := Change{View: "w", Version: 2, Hash: hash, Format: made.Format}
	if s.Has(c) {
		t.Error("the text of another format counts as made")
	}
	s = Apply(source, path, s, c, made)
	if got := show(s); got != "made@2 raw@1" || !s.Has(c) {
		t.Errorf("%q, has it: %t", got, s.Has(c))
	}
	header, body, err := Encode(contract.OutputHead{Path: path}, document.CollectionCode, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(header, body)
	if err != nil || show(got) != show(s) || got.Contents[0].Format != made.Format || !slices.Equal(got.Contents[0].Parts, made.Parts) {
		t.Errorf("%+v, %v", got, err)
	}
	// A text that is not what its hash says is never read.
	spoilt := slices.Clone(body)
	spoilt[len(spoilt)-1] ^= 1
	if _, err := Decode(header, spoilt); err == nil {
		t.Error("a text with another hash is read")
	}
}

// A content that is to be cut by another grammar is cut again; what is as it was keeps
// its identity.
func TestAnotherGrammar_CutsAgain(t *testing.T) {
	hash, sp := cut("a b")
	s := Apply(source, path, State{Covers: contract.Covers{}}, Change{View: "w", Version: 1, Hash: hash}, sp)
	coarser := sp
	coarser.Spans, coarser.Grammar = sp.Spans[:1], "kotlin-1"
	c := Change{View: "w", Version: 2, Hash: hash, Grammar: coarser.Grammar}
	if s.Has(c) {
		t.Error("what was cut without the grammar counts as cut by it")
	}
	s = Apply(source, path, s, c, coarser)
	if got := show(s); got != "a@1" || !s.Has(c) {
		t.Errorf("%q, has it: %t", got, s.Has(c))
	}
	header, body, err := Encode(contract.OutputHead{Path: path}, document.CollectionCode, s)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(header, body); err != nil || !got.Has(c) {
		t.Errorf("read again: %+v, %v", got, err)
	}
}

func TestMessage_ComesBackAsItWas(t *testing.T) {
	s := play([]step{{"main", "a b"}, {"dev", "c d e"}, {"x/y", ""}})[2]
	head := contract.OutputHead{Generation: "code-1", Source: source, Doc: document.DocOf(path), Path: path, Live: true}
	header, body, err := Encode(head, document.CollectionCode, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(header, body)
	if err != nil {
		t.Fatal(err)
	}
	if show(got) != show(s) || got.Covers.String() != s.Covers.String() {
		t.Errorf("%q at %s became %q at %s", show(s), s.Covers, show(got), got.Covers)
	}
	if header.Get(contract.HeaderCount) != "5" {
		t.Errorf("count is %s, want 5", header.Get(contract.HeaderCount))
	}
}

func TestBrokenMessage_IsAnError(t *testing.T) {
	s := play([]step{{"w", "a b"}})[0]
	header, body, err := Encode(contract.OutputHead{Path: path}, document.CollectionCode, s)
	if err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string][]byte{
		"cut off":          body[:len(body)-1],
		"size too large":   []byte(strings.Replace(string(body), `"size":3`, `"size":9`, 1)),
		"negative offset":  []byte(strings.Replace(string(body), `"offset":0`, `"offset":-1`, 1)),
		"chunk beyond end": []byte(strings.Replace(string(body), `"end_byte":3`, `"end_byte":7`, 1)),
	} {
		header := header
		if name == "negative offset" {
			header = maps.Clone(header)
			header[contract.HeaderMeta] = []string{fmt.Sprint(len(broken) - 3)}
		}
		if _, err := Decode(header, broken); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
