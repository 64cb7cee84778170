package query

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/replay"
)

func TestReplay_OrdersAsTheSearch(t *testing.T) {
	r := newRig(t)
	for i := range 8 {
		r.stored(fmt.Sprintf("lib/part%d.go", i), fmt.Sprintf("func helper%d() { parse(token) }\n\nfunc other%d() { token() }\n", i, i))
	}
	r.stored("lib/token_parser.go", "func parseToken() { next() }\n\nfunc peek() { token() }\n\nfunc skip() { token() }\n\nfunc mark() { token() }\n\nfunc reset() { token() }\n")
	r.stored("lib/token_parser_test.go", "func TestParse() { parse(token) }\n")
	c := config.Default().Query
	for _, text := range []string{"parse token", "parseToken", "how is a token parsed", "lib/part3.go"} {
		want := r.search(contract.SearchRequest{Query: text, Text: contract.TextNone})
		k := c.MaxK
		all := r.search(contract.SearchRequest{Query: text, Text: contract.TextNone, K: &k, Off: []string{"signals", "diversify", "fold"}})
		first := replay.New(text, all.Hits, c.Overfetch, r.analyzer, nil).First(&c.Ranking, replay.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}, nil)
		if len(first) != len(want.Hits) {
			t.Fatalf("%q: %d hits, the search has %d", text, len(first), len(want.Hits))
		}
		for i, at := range first {
			if all.Hits[at].ID != want.Hits[i].ID {
				t.Errorf("%q: hit %d is of %s, the search has one of %s", text, i+1, all.Hits[at].Path, want.Hits[i].Path)
			}
		}
	}
}

func TestReplay_CountsPriorities(t *testing.T) {
	list := []config.Priority{{Source: "s", Path: "lib/old/", Factor: .2}, {Path: "*_gen.go", Factor: 3}}
	r := newRig(t, func(r *rig) { r.cfg.Priorities = list })
	for _, dir := range []string{"lib/old", "lib/new", "lib"} {
		for _, name := range []string{"parser", "token", "token_gen"} {
			r.stored(dir+"/"+name+".go", "func parseToken() { token("+name+") }\n")
		}
	}
	priorities, err := replay.NewPriorities(list)
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default().Query
	k := c.MaxK
	want := r.search(contract.SearchRequest{Query: "parse token", Text: contract.TextNone, Explain: true, Off: []string{"fold"}})
	all := r.search(contract.SearchRequest{Query: "parse token", Text: contract.TextNone, K: &k, Off: []string{"signals", "diversify", "fold"}})
	perFile := replay.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}
	first := replay.New("parse token", all.Hits, c.Overfetch, r.analyzer, priorities).First(&c.Ranking, perFile, nil)
	if len(first) != len(want.Hits) {
		t.Fatalf("%d hits, the search has %d", len(first), len(want.Hits))
	}
	seen := map[float64]bool{}
	for i, at := range first {
		if all.Hits[at].ID != want.Hits[i].ID {
			t.Errorf("hit %d is of %s, the search has one of %s", i+1, all.Hits[at].Path, want.Hits[i].Path)
		}
		seen[want.Hits[i].Signals["priority"]] = true
	}
	if !seen[.2] || !seen[3] || !seen[1] {
		t.Errorf("the hits have the priorities %v", seen)
	}
}

func TestReplay_TellsProseFromCode(t *testing.T) {
	c := config.Default().Query
	var hits []contract.Hit
	for i, path := range []document.Path{"other.md", "token_parser.md"} {
		hits = append(hits, contract.Hit{
			Source: "s", Path: path, Kind: document.KindBlock, Collection: document.CollectionDocs, ID: document.NewChunkID("s", path, "", i, 1),
			Channels: map[string]contract.Channel{"lexical": {Rank: i + 1, Score: float64(20 - i)}},
		})
	}
	for collection, want := range map[document.Collection]int{document.CollectionDocs: 0, document.CollectionCode: 1} {
		for i := range hits {
			hits[i].Collection = collection
		}
		first := replay.New("token parser", hits, c.Overfetch, analysis.New(), nil).First(&c.Ranking, replay.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}, nil)
		if first[0] != want {
			t.Errorf("in the collection %s the first hit is %s", collection, hits[first[0]].Path)
		}
	}
}
