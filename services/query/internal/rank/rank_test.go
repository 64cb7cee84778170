package rank

import (
	"math"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// weights are the default ones, with the given fusion and even shares.
func weights(fusion string) *Weights {
	w := config.Default().Query.Ranking
	w.Fusion, w.VectorNatural, w.VectorSymbol = fusion, .5, .35
	return &w
}

func query(text string) *Query { return NewQuery(text, analysis.New()) }

// found makes a passage of a file; its id is that of path and symbol.
func found(path, symbol string, score float64) candidate.Found {
	kind := document.KindBlock
	if symbol != "" {
		kind = document.KindFunction
	}
	p := document.Path(path)
	return candidate.Found{
		ID: document.NewChunkID("s", p, document.Hash(symbol), 0, 1), Score: score,
		Attrs: store.Attrs{Source: "s", Doc: document.DocOf(p), Path: p, Symbol: symbol, Kind: kind},
	}
}

func order(text string, lists Lists, w *Weights) []candidate.Candidate {
	q := query(text)
	all := Fuse(lists, q.Class, w)
	Signals(all, q, w, nil, false)
	return all
}

func TestReciprocalRank_IsItsFormula(t *testing.T) {
	a, b, c := found("a", "", 9), found("b", "", 8), found("c", "", .9)
	all := Fuse(Lists{Lexical: []candidate.Found{a, b}, Vector: []candidate.Found{c, a}}, analysis.Natural, weights(RRF))
	raw := map[document.ChunkID]float64{a.ID: .5/61 + .5/62, b.ID: .5 / 62, c.ID: .5 / 61}
	low, high := raw[b.ID], raw[a.ID]
	if all[0].ID != a.ID {
		t.Fatalf("first is %s", all[0].Attrs.Path)
	}
	for _, x := range all {
		if want := (raw[x.ID] - low) / (high - low); math.Abs(x.Fused-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", x.Attrs.Path, x.Fused, want)
		}
	}
	if all[0].ID != a.ID || all[0].Lexical.Rank != 1 || all[0].Vector.Rank != 2 {
		t.Errorf("%+v", all[0])
	}
}

func TestConvex_IsItsFormula(t *testing.T) {
	a, b, c := found("a", "", 10), found("b", "", 5), found("c", "", .9)
	inVector := found("a", "", .5)
	all := Fuse(Lists{Lexical: []candidate.Found{a, b}, Vector: []candidate.Found{c, inVector}}, analysis.Symbol, weights(Convex))
	want := map[document.ChunkID]float64{a.ID: .65, b.ID: .65 / 2, c.ID: .35}
	for _, x := range all {
		if math.Abs(x.Fused-want[x.ID]) > 1e-12 {
			t.Errorf("%s: %v, want %v", x.Attrs.Path, x.Fused, want[x.ID])
		}
	}
}

func TestOneChannelAlone_KeepsItsOrder(t *testing.T) {
	list := []candidate.Found{found("a", "", 3), found("b", "", 2), found("c", "", 1)}
	for _, fusion := range []string{RRF, Convex} {
		for name, lists := range map[string]Lists{"lexical": {Lexical: list}, "vector": {Vector: list}, "pending": {Pending: list}} {
			all := Fuse(lists, analysis.Natural, weights(fusion))
			for i := range list {
				if all[i].ID != list[i].ID {
					t.Errorf("%s, %s: place %d is %s", fusion, name, i, all[i].Attrs.Path)
				}
			}
			if all[0].Fused <= all[1].Fused || all[0].Fused < .99 {
				t.Errorf("%s, %s: scores %v and %v", fusion, name, all[0].Fused, all[1].Fused)
			}
		}
	}
}

func TestNewPassage_IsNotPutBack(t *testing.T) {
	old := []candidate.Found{found("a", "", 5), found("b", "", 4)}
	fresh := found("new", "", 9)
	for _, fusion := range []string{RRF, Convex} {
		all := Fuse(Lists{Lexical: old, Vector: []candidate.Found{found("a", "", .8), found("b", "", .7)}, Pending: []candidate.Found{fresh}}, analysis.Natural, weights(fusion))
		if all[0].ID != fresh.ID || all[0].Pending.Rank != 1 || all[0].Lexical.Rank != 0 {
			t.Errorf("%s: first is %+v", fusion, all[0])
		}
	}
}

func TestDefinition_StandsAboveItsUse(t *testing.T) {
	use, def := found("server/run.go", "Run", 10), found("server/listen.go", "Listener.AcceptLoop", 9.5)
	for _, text := range []string{"AcceptLoop", "Listener.AcceptLoop", "accept loop", "where is the accept loop of the listener"} {
		w := weights(Convex)
		w.Stem, w.Directory = 0, 0
		if all := order(text, Lists{Lexical: []candidate.Found{use, def}}, w); all[0].ID != def.ID {
			t.Errorf("%q: first is %s (%+v), then %+v", text, all[0].Attrs.Path, all[0].Signals, all[1].Signals)
		}
	}
}

// A header of one line has the words of the path and little else, so that both
// engines have it first.
func TestDefinition_StandsAboveTheHeaderOfItsFile(t *testing.T) {
	header, def := found("library/heron.go", "", 10), found("library/heron.go", "Heron", 4)
	for _, text := range []string{"Heron", "how does `Heron` work"} {
		all := order(text, Lists{Lexical: []candidate.Found{header, def}, Vector: []candidate.Found{header, def, found("b.go", "", -20)}}, weights(Convex))
		if all[0].ID != def.ID {
			t.Errorf("%q: first is a %s (%+v)", text, all[0].Attrs.Kind, all[0])
		}
	}
}

func TestFurtherDefinitionOfAPassage_IsSeen(t *testing.T) {
	use, def := found("server/run.go", "Run", 10), found("server/listen.go", "newListener\nListener.AcceptLoop\nstop", 9.5)
	for _, text := range []string{"AcceptLoop", "Listener.AcceptLoop", "how does the accept loop end"} {
		w := weights(Convex)
		w.Stem, w.Directory = 0, 0
		if all := order(text, Lists{Lexical: []candidate.Found{use, def}}, w); all[0].ID != def.ID {
			t.Errorf("%q: first is %s (%+v), then %+v", text, all[0].Attrs.Path, all[0].Signals, all[1].Signals)
		}
	}
}

// Lower case may be longer than upper case, in bytes.
func TestNameInAnotherAlphabet_DoesNotStopTheSearch(t *testing.T) {
	for _, symbol := range []string{"İİİ", "Ⱥ.Ⱦ", "Ω", "", "..", "a.İ"} {
		query("where is İ of Ⱥ").defines(symbol, document.KindFunction, weights(Convex))
	}
}

func TestLetterOfAQuestion_IsNoName(t *testing.T) {
	if d := query("how a request is routed").defines("a\nis", document.KindFunction, weights(Convex)); d != 0 {
		t.Errorf("defines it to %v", d)
	}
}

func TestFileNamedInAnotherForm_IsFound(t *testing.T) {
	for text, path := range map[string]string{
		"how does authentication work": "auth.go", "where are updates checked for": "checker.go",
		"map each url to what answers it": "urlmap.rb",
	} {
		other, named := found("server.go", "", 10), found(path, "", 7)
		if all := order(text, Lists{Lexical: []candidate.Found{other, named}}, weights(Convex)); all[0].ID != named.ID {
			t.Errorf("%q: %s stands above %s", text, all[0].Attrs.Path, path)
		}
	}
}

func TestFileOfThatName_StandsFirst(t *testing.T) {
	other, named := found("server/run.go", "", 10), found("server/rate_limiter.go", "", 7)
	for _, text := range []string{"how does the rate limiter work", "rate_limiter", "server/rate_limiter.go", "rate_limiter.go"} {
		if all := order(text, Lists{Lexical: []candidate.Found{other, named}}, weights(Convex)); all[0].ID != named.ID {
			t.Errorf("%q: first is %s", text, all[0].Attrs.Path)
		}
	}
}

func TestFileThatStandsForItsFolder_HasItsName(t *testing.T) {
	for text, path := range map[string]string{
		"how does the rate limiter work": "src/rate_limiter/mod.rs", "limiter": "limiter/__init__.py", "the index of a list": "list/index.ts",
	} {
		other, named := found("server/run.go", "", 10), found(path, "", 8)
		w := weights(Convex)
		w.Directory = 0
		if all := order(text, Lists{Lexical: []candidate.Found{other, named}}, w); all[0].ID != named.ID {
			t.Errorf("%q: %s stands above %s", text, all[0].Attrs.Path, path)
		}
	}
}

// The words of a description are in the name of some file by chance.
func TestLongDescription_FindsThePassageAndNotAFile(t *testing.T) {
	text := "waits until the owner of every idle connection has closed it, then frees all buffers, stops the timer, and reports the first failure of a flush"
	passage, named := found("pool.go", "drain", 10), found("connection.go", "", 8)
	w := weights(Convex)
	if q := query(text); float64(q.Len()) < w.LongTo {
		t.Fatalf("%d words are not long", q.Len())
	}
	if all := order(text, Lists{Lexical: []candidate.Found{passage, named}}, w); all[0].ID != passage.ID {
		t.Errorf("first is %s", all[0].Attrs.Path)
	}
	if all := order("connection", Lists{Lexical: []candidate.Found{passage, named}}, w); all[0].ID != named.ID {
		t.Errorf("of a short question, first is %s", all[0].Attrs.Path)
	}
}

func TestQuestionThatIsLongInPart_CountsInPart(t *testing.T) {
	w := weights(Convex)
	w.Long, w.LongFrom, w.LongTo = .2, 2, 4
	for text, want := range map[string]float64{
		"parse tokens": 1, "parse tokens quickly": .6, "parse tokens quickly without copies": .2,
	} {
		if got := query(text).short(w); math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, want %v (%d words)", text, got, want, query(text).Len())
		}
	}
	w.LongTo = 1 // below long_from
	if got := query("parse tokens quickly").short(w); got != .2 {
		t.Errorf("without a span: %v", got)
	}
}

func TestSideFile_StandsBelowTheThingItself(t *testing.T) {
	for _, side := range []string{
		"parse_test.go", "test/parse.go", "vendor/x/parse.go", "node_modules/x/parse.js", "gen/parse.pb.go", "examples/parse.go",
		"legacy/parse.go", "src/parse.spec.ts", "src/ParserTest.java", "app/test_parse.py", "__tests__/parse.js", "lib/parse.min.js",
	} {
		a, b := found(side, "", 10), found("src/parse.go", "", 8)
		w := weights(Convex)
		w.Stem = 0
		if all := order("parse the header", Lists{Lexical: []candidate.Found{a, b}}, w); all[0].ID != b.ID {
			t.Errorf("%s stands above %s", side, b.Attrs.Path)
		}
	}
}

func TestSideFileThatIsAskedFor_IsNotPunished(t *testing.T) {
	q := map[string]string{
		"parse_test.go": "tests of parse", "examples/parse.go": "an example of parse", "vendor/x/parse.go": "vendored parse",
		"gen/parse.go": "generated parse code", "test/parse.go": "test/parse.go",
	}
	for path, text := range q {
		at := placeOf(document.Path(path))
		if p := query(text).penalty(&at, &candidate.Candidate{Found: found(path, "", 1)}, weights(RRF)); p != 1 {
			t.Errorf("%q, %s: factor %v", text, path, p)
		}
	}
	for _, path := range []string{"latest/contest.go", "attestation.go", "src/protest/manifest.go", "internal/gentle.go", "Latest.java"} {
		at := placeOf(document.Path(path))
		if p := query("parse").penalty(&at, &candidate.Candidate{Found: found(path, "", 1)}, weights(RRF)); p != 1 {
			t.Errorf("%s is taken for a side file: factor %v", path, p)
		}
	}
}

func TestSwitchedOffSignal_DoesNotCount(t *testing.T) {
	lists := Lists{Lexical: []candidate.Found{
		found("test/rate/limiter.go", "Limiter", 10), found("test/rate/limiter.go", "Take", 9), found("b.go", "Other", 8),
		written("rate.py", "python", 7), written("rate.md", "markdown", 6),
	}}
	q := "docs of b.go Limiter rate in python"
	on := order(q, lists, weights(Convex))
	for name, off := range map[string]func(*Weights){
		"definition": func(w *Weights) { w.Definition = 0 }, "path": func(w *Weights) { w.Path = 0 },
		"stem": func(w *Weights) { w.Stem = 0 }, "directory": func(w *Weights) { w.Directory = 0 },
		"coherence": func(w *Weights) { w.Coherence = 0 }, "penalty": func(w *Weights) { w.PenaltyPower = 0 },
		"saturation": func(w *Weights) { w.Saturation = 1 }, "language": func(w *Weights) { w.Language = 0 },
		"intent": func(w *Weights) { w.Intent = 0 },
	} {
		w := weights(Convex)
		off(w)
		same := true
		for _, a := range on {
			for _, b := range order(q, lists, w) {
				same = same && (a.ID != b.ID || a.Final == b.Final)
			}
		}
		if same {
			t.Errorf("%s off changes nothing", name)
		}
	}
}

func TestFurtherPassagesOfAFile_LeaveRoomForOthers(t *testing.T) {
	all := order("something else", Lists{Lexical: []candidate.Found{
		found("big.go", "A", 10), found("big.go", "B", 9.9), found("other.go", "C", 9.8), found("other.go", "D", 9.7), found("big.go", "E", 9.6),
	}}, weights(Convex))
	if all[0].Attrs.Path != "big.go" || all[1].Attrs.Path != "other.go" {
		t.Errorf("first %s, second %s", all[0].Attrs.Path, all[1].Attrs.Path)
	}
}

func TestFileThatIsMeant_IsNotThinnedOut(t *testing.T) {
	all := order("rate limiter", Lists{Lexical: []candidate.Found{
		found("rate_limiter.go", "A", 10), found("rate_limiter.go", "B", 9.5), found("other.go", "C", 7), found("another.go", "D", 6),
	}}, weights(Convex))
	if all[0].Attrs.Path != "rate_limiter.go" || all[1].Attrs.Path != "rate_limiter.go" {
		t.Errorf("first %s, second %s", all[0].Attrs.Path, all[1].Attrs.Path)
	}
}
