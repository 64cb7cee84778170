package query

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const parser = `package addr

func ParseAddress(s string) (Address, error) {
	return parse(s, strict)
}

func FormatAddress(a Address) string {
	return a.host + ":" + a.port
}
`

func TestSettledPassage_IsFound(t *testing.T) {
	r := newRig(t)
	token := r.stored("addr/parse.go", parser)
	r.stored("log/rotate.go", "package log\n\nfunc Rotate() { closeFile(); openNext() }\n")
	reply := r.search(contract.SearchRequest{Query: "ParseAddress", Token: token.String(), Explain: true, Text: contract.TextFull})
	if len(reply.Hits) == 0 {
		t.Fatal("no hits")
	}
	h := reply.Hits[0]
	if h.Path != "addr/parse.go" || h.Symbol != "ParseAddress" || h.StartLine != 3 || h.EndLine != 5 || h.Version != document.Version(token.Seq) {
		t.Errorf("%+v", h)
	}
	if h.Channels["lexical"].Rank != 1 || h.Channels["vector"].Rank == 0 || h.Signals["definition"] == 0 {
		t.Errorf("channels %v, signals %v", h.Channels, h.Signals)
	}
	if !strings.HasPrefix(h.Text, "func ParseAddress") || !strings.HasSuffix(h.Text, "}\n") {
		t.Errorf("text %q", h.Text)
	}
	if len(reply.Pending)+len(reply.Failed)+len(reply.Degraded) > 0 || reply.Class != "symbol" {
		t.Errorf("%+v", reply)
	}
	var stages []string
	for _, s := range reply.Trace {
		stages = append(stages, s.Stage)
	}
	for _, want := range []string{"validate", "barrier", "analyse", "recall.lexical", "recall.vector", "fuse", "signals", "resolve", "assemble"} {
		if !slices.Contains(stages, want) {
			t.Errorf("the trace %v lacks %s", stages, want)
		}
	}
}

func TestWrongRequest_IsRefused(t *testing.T) {
	r := newRig(t)
	for name, body := range map[string]string{
		"malformed JSON":   `{"query":`,
		"unknown field":    `{"query":"a","limit":3}`,
		"empty query":      `{"query":"  "}`,
		"k of 0":           `{"query":"a","k":0}`,
		"k of ten million": `{"query":"a","k":10000000}`,
		"k as text":        `{"query":"a","k":"3"}`,
		"malformed glob":   `{"query":"a","filter":{"paths":["a[b"]}}`,
		"malformed token":  `{"query":"a","token":"1.x"}`,
		"two objects":      `{"query":"a"}{"query":"b"}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := r.raw(body)
			if got := m.Header.Get(micro.ErrorCodeHeader); got != string(document.InvalidRequest) {
				t.Fatalf("error code %q, body %s", got, m.Data)
			}
			var e contract.ErrorReply
			if err := json.Unmarshal(m.Data, &e); err != nil || e.Error.Message == "" {
				t.Fatalf("body %s: %v", m.Data, err)
			}
		})
	}
}

func TestTokenOfAnotherEpoch_IsRefused(t *testing.T) {
	r := newRig(t)
	token := r.stored("a.go", "alpha\n")
	for name, wrong := range map[string]document.Token{
		"epoch":      {Epoch: token.Epoch + 7, Seq: token.Seq},
		"beyond log": {Epoch: token.Epoch, Seq: token.Seq + 1000},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := r.ask(contract.SearchRequest{Query: "alpha", Token: wrong.String()})
			if document.KindOf(err) != document.TokenUnknown {
				t.Fatalf("error %v, want token_unknown", err)
			}
		})
	}
}

func TestOneChannelDown_AnswerIsDegraded(t *testing.T) {
	for _, sink := range document.Sinks {
		t.Run(string(sink), func(t *testing.T) {
			r := newRig(t)
			r.stored("addr/parse.go", parser)
			if sink == document.Lexical {
				r.lexical.fail(errors.New("connection refused"))
			} else {
				r.vector.fail(errors.New("connection refused"))
			}
			reply := r.search(contract.SearchRequest{Query: "parse an address"})
			if len(reply.Hits) == 0 {
				t.Fatal("the other channel's hits are missing")
			}
			if len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], string(sink)+": ") {
				t.Fatalf("degraded %q", reply.Degraded)
			}
		})
	}
}

func TestBothChannelsDown_IsAnError(t *testing.T) {
	r := newRig(t)
	r.stored("addr/parse.go", parser)
	r.lexical.fail(errors.New("connection refused"))
	r.vector.fail(errors.New("connection refused"))
	if _, err := r.ask(contract.SearchRequest{Query: "parse an address"}); document.KindOf(err) != document.Unavailable {
		t.Fatalf("error %v, want unavailable", err)
	}
}

func TestSilentEmbedder_DoesNotStopLexicalSearch(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.EmbedDeadline = 20 * time.Millisecond })
	r.stored("a.go", "a sleepy function\n")
	reply := r.search(contract.SearchRequest{Query: "sleepy function"})
	if len(reply.Hits) != 1 || len(reply.Degraded) != 1 || !strings.HasPrefix(reply.Degraded[0], "vector: the embedder did not answer within") {
		t.Fatalf("%d hits, degraded %q", len(reply.Hits), reply.Degraded)
	}
}

func TestVectorsOfAnotherModel_AreNotCompared(t *testing.T) {
	r := newRig(t, func(r *rig) { r.identity = "other-model" })
	r.stored("a.go", "alpha walrus\n")
	reply := r.search(contract.SearchRequest{Query: "walrus"})
	if len(reply.Hits) != 1 || reply.Hits[0].Channels["vector"].Rank != 0 || len(reply.Degraded) != 1 || !strings.Contains(reply.Degraded[0], "other-model") {
		t.Fatalf("hits %+v, degraded %q", reply.Hits, reply.Degraded)
	}
}

func TestStopWordsAlone_AreFoundByVectors(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "how to do it\n")
	reply := r.search(contract.SearchRequest{Query: "how does it do that"})
	if len(reply.Hits) == 0 || !slices.ContainsFunc(reply.Degraded, func(d string) bool { return strings.Contains(d, "vectors alone") }) {
		t.Fatalf("%d hits, degraded %q", len(reply.Hits), reply.Degraded)
	}
}

func TestQueryWithoutAnyKnownWord_IsAnEmptyAnswer(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "alpha\n")
	reply := r.search(contract.SearchRequest{Query: "?!"})
	if reply.Hits == nil || len(reply.Hits) != 0 || len(reply.Degraded) == 0 {
		t.Fatalf("%+v", reply)
	}
}

func TestUnwatchedSource_AnswersOnlyWhenNamed(t *testing.T) {
	r := newRig(t)
	r.stored("s:a.go", "shared words here\n")
	r.stored("old:b.go", "shared words there\n")
	r.write("gone:c.go", "shared words nowhere\n") // never settled: must not hold up a token
	reply := r.search(contract.SearchRequest{Query: "shared words", Token: "latest"})
	if len(reply.Hits) != 1 || reply.Hits[0].Source != "s" || len(reply.Pending) != 0 {
		t.Fatalf("hits %s, pending %+v", texts(reply), reply.Pending)
	}
	reply = r.search(contract.SearchRequest{Query: "shared words source:old"})
	if len(reply.Hits) != 1 || reply.Hits[0].Source != "old" {
		t.Fatalf("asked for by name: %s", texts(reply))
	}
}

func TestSourceAddedJustNow_IsSearched(t *testing.T) {
	r := newRig(t)
	r.stored("s:a.go", "shared words here\n")
	r.search(contract.SearchRequest{Query: "shared words"}) // the list of sources is remembered now
	r.mu.Lock()
	r.sources = append(r.sources, contract.SourceInfo{Source: "new", Watched: true, View: document.Worktree})
	r.mu.Unlock()
	token := r.stored("new:b.go", "shared words there\n")
	reply := r.search(contract.SearchRequest{Query: "shared words", Token: token.String()})
	if len(reply.Hits) != 2 {
		t.Fatalf("hits %s", texts(reply))
	}
}

func TestFilter_LetsNothingElseThrough(t *testing.T) {
	r := newRig(t)
	r.stored("pkg/addr/parse.go", parser)
	r.stored("pkg/addr/parse_test.go", parser)
	r.stored("docs/parse.go", parser)
	for name, c := range map[string]struct {
		in   contract.SearchRequest
		want func(contract.Hit) bool
	}{
		"folder": {contract.SearchRequest{Query: "parse address path:pkg/"}, func(h contract.Hit) bool { return strings.HasPrefix(string(h.Path), "pkg/") }},
		"glob":   {contract.SearchRequest{Query: "parse address", Filter: contract.Filter{Paths: []string{"*_test.go"}}}, func(h contract.Hit) bool { return strings.HasSuffix(string(h.Path), "_test.go") }},
		"kind":   {contract.SearchRequest{Query: "parse address kind:function"}, func(h contract.Hit) bool { return h.Kind == "function" }},
	} {
		t.Run(name, func(t *testing.T) {
			reply := r.search(c.in)
			if len(reply.Hits) == 0 {
				t.Fatal("no hits")
			}
			for _, h := range reply.Hits {
				if !c.want(h) {
					t.Errorf("hit %s %s", h.Path, h.Kind)
				}
			}
		})
	}
	if reply := r.search(contract.SearchRequest{Query: "parse address lang:rust"}); len(reply.Hits) > 0 {
		t.Errorf("lang:rust gives %s", texts(reply))
	}
}

// Whatever puts others before a passage and bounds the hits of its file, no place
// stays free while there is something to show.
func TestPlacesAreFree_EveryPassageIsShown(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.cfg.Ranking.Fusion, r.cfg.Diversify = "rrf", .5
		r.cfg.Ranking.VectorNatural, r.cfg.Ranking.VectorSymbol = .9, .9
		r.cfg.PerFile = 1
	})
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, "func window%d() { pane(session, ticket, %d) }\n\n", i, i)
	}
	r.stored("windows.go", b.String()+"func window() { Kikuyu() }\n")
	r.stored("other.go", "func window() { open(pane) }\n")
	k := 500
	for _, c := range []struct{ off, variants []string }{{nil, nil}, {nil, []string{"pane"}}, {[]string{"vector"}, []string{"pane", "open window"}}} {
		reply := r.search(contract.SearchRequest{Query: "session ticket window", Variants: c.variants, K: &k, Off: c.off, Text: contract.TextFull})
		if n := strings.Count(texts(reply), "Kikuyu"); n != 1 {
			t.Errorf("%+v: it is shown %d times among %d hits", c, n, len(reply.Hits))
		}
	}
}

func TestOneFile_DoesNotFillTheAnswer(t *testing.T) {
	r := newRig(t)
	var b strings.Builder
	for range 12 {
		b.WriteString("func parse" + string(rune('A'+b.Len()%26)) + "() { parse(token) }\n\n")
	}
	r.stored("big.go", b.String())
	r.stored("small.go", "func other() { parse(token) }\n")
	reply := r.search(contract.SearchRequest{Query: "parse token"})
	if got := paths(reply); len(got) != 10 || !slices.Contains(got[:4], "small.go") {
		t.Fatalf("the other file is not before the fourth passage of one, or places are free: %v", got)
	}
	if reply := r.search(contract.SearchRequest{Query: "parse token path:big.go"}); len(reply.Hits) != 10 {
		t.Fatalf("the file that was asked for has %d hits", len(reply.Hits))
	}
	if reply := r.search(contract.SearchRequest{Query: "parse token", Off: []string{"diversify"}}); len(reply.Hits) != 10 {
		t.Fatalf("without the bound there are %d hits", len(reply.Hits))
	}
}
