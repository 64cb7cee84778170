package forecast

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// city is a large tree of three kinds of document, whose truth is known.
func city(seed uint64) (docs []doc, of map[document.Path]measured) {
	r := rand.New(rand.NewPCG(seed, 1))
	of = map[document.Path]measured{}
	for i := range 20_000 {
		ext, collection, per := ".go", document.CollectionCode, 1000.0
		switch {
		case i%50 == 0:
			ext = fmt.Sprintf(".x%d", i) // a kind of its own
		case i%5 == 0:
			ext, collection, per = ".md", document.CollectionDocs, 300.0
		}
		path := document.Path(fmt.Sprintf("d%d/f%d%s", i%100, i, ext))
		bytes := int64(100 + r.ExpFloat64()*8000)
		passages := 1 + int64(float64(bytes)/per*(0.5+r.Float64()))
		docs = append(docs, doc{path: path, collection: collection, bytes: bytes})
		of[path] = measured{bytes, passages, passages*20 + r.Int64N(300)}
	}
	return docs, of
}

// With 95 % certainty, one of twenty may lie outside; of twenty here at most
// three do.
func TestMargin_HoldsTheError(t *testing.T) {
	outside := 0
	const budget = 4 << 20
	for seed := range uint64(20) {
		docs, of := city(seed)
		var all, cut, passages, tokens int64
		for _, d := range docs {
			all += d.bytes
			passages += of[d.path].passages
			tokens += of[d.path].tokens
		}
		list := strata(docs)
		for _, s := range list {
			for _, d := range s.choose(budget, all) {
				s.cut = append(s.cut, of[d.path])
				cut += d.bytes
			}
		}
		if cut > budget*5/4 {
			t.Errorf("seed %d: %d bytes are cut instead of %d", seed, cut, budget)
		}
		p, k := estimates(list, "")
		if p.Margin == 0 || p.Margin > passages/20 || k.Margin == 0 || k.Margin > tokens/20 {
			t.Errorf("seed %d: margins of %+v and %+v are no use", seed, p, k)
		}
		if max(p.Value, passages)-min(p.Value, passages) > p.Margin || max(k.Value, tokens)-min(k.Value, tokens) > k.Margin {
			outside++
		}
		code, _ := estimates(list, document.CollectionCode)
		prose, _ := estimates(list, document.CollectionDocs)
		if sum := code.Value + prose.Value; max(sum, p.Value)-min(sum, p.Value) > 1 {
			t.Errorf("seed %d: the collections have %d and %d, together %d", seed, code.Value, prose.Value, p.Value)
		}
	}
	if outside > 3 {
		t.Errorf("%d of 20 lie outside of their margin", outside)
	}
}

func TestSmallTree_IsCountedInFull(t *testing.T) {
	docs, of := city(1)
	docs = docs[:100]
	list := strata(docs)
	var want int64
	for _, s := range list {
		for _, d := range s.choose(1<<30, 1<<20) {
			s.cut = append(s.cut, of[d.path])
		}
	}
	for _, d := range docs {
		want += of[d.path].passages
	}
	if p, _ := estimates(list, ""); p != (Estimate{Value: want}) {
		t.Errorf("%+v, want %d", p, want)
	}
}

func TestDocumentsThatAreGone_DoNotPullTheEstimateDown(t *testing.T) {
	docs, of := city(2)
	var all, want int64
	for _, d := range docs {
		all += d.bytes
		want += of[d.path].passages
	}
	list := strata(docs)
	for i, s := range list {
		if i%3 == 0 {
			continue // nothing of it could be read
		}
		for _, d := range s.choose(1<<20, all) {
			s.cut = append(s.cut, of[d.path])
		}
	}
	if p, _ := estimates(list, ""); p.Value < want/2 || p.Value > want*2 || max(p.Value, want)-min(p.Value, want) > p.Margin {
		t.Errorf("%+v, want about %d", p, want)
	}
	if p, k := estimates(nil, ""); p != (Estimate{}) || k != (Estimate{}) {
		t.Errorf("of nothing %+v, %+v", p, k)
	}
}

func TestRule_LeavesOutItsFolderAlone(t *testing.T) {
	for path, want := range map[document.Path]string{
		"vendor": "/vendor/", "a/b c/vendor": "/a/b c/vendor/", "x[1]*?/vendor": `/x\[1]\*\?/vendor/`,
		"#a/!b/vendor": "/#a/!b/vendor/", "odd%0A/vendor": "", "café/dist": "/café/dist/",
	} {
		if rule, ok := ruleFor(path); rule != want || ok != (want != "") {
			t.Errorf("%s is left out by %q, want %q", path, rule, want)
		}
	}
}

func TestLargeFolder_HidesNoOther(t *testing.T) {
	by := folders([]doc{
		{path: "a/b/c/one.go", collection: document.CollectionCode, bytes: 50}, {path: "a/two.go", collection: document.CollectionCode, bytes: 5},
		{path: "vendor/x.go", collection: document.CollectionCode, bytes: 30}, {path: "vendor/deps/y.go", collection: document.CollectionCode, bytes: 14}, {path: "top.go", collection: document.CollectionCode, bytes: 1},
	})
	var got []string
	for _, f := range largest(by) {
		got = append(got, fmt.Sprintf("%s %.2f", f.Path, f.Share))
	}
	if fmt.Sprint(got) != "[a/b/c 0.50 vendor 0.44 vendor/deps 0.14]" {
		t.Errorf("%v", got)
	}
	if told := advise(by, ".freshetignore"); len(told) != 1 || told[0] != "vendor/ is 44 % of it: if nobody searches there, leave it out with a line `/vendor/` in .freshetignore" {
		t.Errorf("%q", told)
	}
}
