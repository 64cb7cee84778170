package query

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// crossEncoder speaks the wire format of Text Embeddings Inference, and likes
// the passages that hold a word; fault answers in its place.
type crossEncoder struct {
	likes string
	fault http.HandlerFunc

	mu    sync.Mutex
	sent  [][]string
	asked []string
}

func (c *crossEncoder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if c.fault != nil {
		_, _ = io.Copy(io.Discard, r.Body) // only then a client that leaves is noticed
		c.fault(w, r)
		return
	}
	var in struct {
		Query string
		Texts []string
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.sent, c.asked = append(c.sent, in.Texts), append(c.asked, in.Query)
	likes := c.likes
	c.mu.Unlock()
	type rank struct {
		Index int     `json:"index"`
		Score float64 `json:"score"`
	}
	out := []rank{}
	for i, t := range in.Texts {
		out = append(out, rank{i, float64(strings.Count(t, likes))})
	}
	_ = json.NewEncoder(w).Encode(out)
}

func (c *crossEncoder) like(word string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.likes = word
}

// last is what was sent last.
func (c *crossEncoder) last() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[len(c.sent)-1]
}

// reranked is a rig with eight files that answer "rotate the key", of which the
// reranker likes the one that is ranked last.
func reranked(t *testing.T, c *crossEncoder, change ...func(*Config)) *rig {
	t.Helper()
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	r := newRig(t, func(r *rig) {
		r.cfg.Rerank.Kind, r.cfg.Rerank.URL, r.cfg.Rerank.Deadline = "tei", srv.URL, time.Minute
		for _, f := range change {
			f(&r.cfg)
		}
	})
	for i := range 8 {
		r.stored(fmt.Sprintf("f%d.go", i), fmt.Sprintf("rotate the key%s\nbeta%d\n", strings.Repeat(" of something else entirely", i), i))
	}
	return r
}

func paths(reply contract.SearchReply) (out []string) {
	for _, h := range reply.Hits {
		out = append(out, string(h.Path))
	}
	return out
}

func traced(reply contract.SearchReply, name string) *contract.TraceStage {
	for i := range reply.Trace {
		if reply.Trace[i].Stage == name {
			return &reply.Trace[i]
		}
	}
	return nil
}

var rotate = contract.SearchRequest{Query: "rotate the key", Explain: true, Text: contract.TextFull}

func without(in contract.SearchRequest, stage string) contract.SearchRequest {
	in.Off = append(slices.Clone(in.Off), stage)
	return in
}

func TestReranker_IsHeard(t *testing.T) {
	c := &crossEncoder{}
	r := reranked(t, c)
	before := r.search(without(rotate, "rerank"))
	c.like("beta" + strings.Trim(string(before.Hits[7].Path), "f.go"))
	after := r.search(rotate)
	if len(after.Degraded) > 0 || len(after.Hits) != 8 {
		t.Fatalf("%q, hits %v", after.Degraded, paths(after))
	}
	was := before.Hits[7].Path
	now := slices.Index(paths(after), string(was))
	if now == 7 || now == 0 {
		t.Errorf("%s went from place 8 to %d: neither unheard nor replaced is right\n%v\n%v", was, now+1, paths(before), paths(after))
	}
	h := after.Hits[max(now, 0)]
	if h.Signals["rerank"] != 1 || h.Signals["rerank_from"] != 8 {
		t.Errorf("signals %v", h.Signals)
	}
	if !slices.IsSortedFunc(after.Hits, func(a, b contract.Hit) int {
		if a.Score > b.Score {
			return -1
		}
		return 1
	}) {
		t.Error("the scores do not go with the order")
	}
	if s := traced(after, "rerank"); s == nil || s.In != 8 || !strings.Contains(s.Note, "tei") {
		t.Errorf("trace %+v", s)
	}
	if s := traced(before, "rerank"); s == nil || s.Note != "off" || len(before.Degraded) > 0 {
		t.Errorf("switched off: trace %+v, degraded %q", s, before.Degraded)
	}
	// What was sent is what is shown.
	for _, h := range after.Hits {
		if want := string(h.Path) + "\n" + h.Text; !slices.Contains(c.last(), want) {
			t.Errorf("not sent: %q", want)
		}
	}
}

func TestFailedReranker_LeavesTheAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		fault http.HandlerFunc
		says  string
	}{
		"overloaded": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":"Model is overloaded","error_type":"Overloaded"}`))
		}, "Model is overloaded"},
		"too few": {func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`[{"index":0,"score":1}]`)) }, "1 ratings for 8 passages"},
		"slow":    {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "did not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			r := reranked(t, &crossEncoder{fault: c.fault}, func(cfg *Config) {
				if name == "slow" { // the others are to be heard, however busy the machine is
					cfg.Rerank.Deadline = 100 * time.Millisecond
				}
			})
			before, after := r.search(without(rotate, "rerank")), r.search(rotate)
			if !slices.Equal(paths(before), paths(after)) {
				t.Errorf("the order changed:\n%v\n%v", paths(before), paths(after))
			}
			if len(after.Degraded) != 1 || !strings.HasPrefix(after.Degraded[0], "rerank: ") || !strings.Contains(after.Degraded[0], c.says) {
				t.Errorf("degraded %q", after.Degraded)
			}
			if s := traced(after, "rerank"); s == nil || s.Note != "failed" {
				t.Errorf("trace %+v", s)
			}
		})
	}
}

// A passage of an older version must neither be shown nor leave the process.
func TestGhost_IsNotSentToTheReranker(t *testing.T) {
	c := &crossEncoder{likes: "secret"}
	r := reranked(t, c)
	r.stored("ghost.go", "rotate the key secret\n")
	r.stored("gone.go", "rotate the key secret\n")
	r.write("ghost.go", "something else\n")
	r.remove("gone.go")
	reply := r.search(rotate)
	if strings.Contains(texts(reply), "secret") || strings.Contains(strings.Join(c.last(), ""), "secret") {
		t.Errorf("shown %v, sent %q", paths(reply), c.last())
	}
}

func TestThreshold_IsThatOfTheRerankedOrder(t *testing.T) {
	c := &crossEncoder{}
	r := reranked(t, c)
	before := r.search(without(rotate, "rerank"))
	c.like("beta" + strings.Trim(string(before.Hits[4].Path), "f.go"))
	all := r.search(rotate)
	in := rotate
	in.MinScore = all.Hits[3].Score
	reply := r.search(in)
	if !slices.Equal(paths(reply), paths(all)[:4]) || !slices.Contains(paths(reply), string(before.Hits[4].Path)) {
		t.Errorf("hits %v of %v", paths(reply), paths(all))
	}
	if s := traced(reply, "gate"); s == nil || s.In != 8 || s.Out != 4 {
		t.Errorf("trace %+v", s)
	}
}

// The reranker may like every passage of one file best.
func TestOneFile_DoesNotFillTheRerankedAnswer(t *testing.T) {
	c := &crossEncoder{likes: "beta"}
	r := reranked(t, c, func(c *Config) { c.Rerank.Weight = .9 })
	r.stored("many.go", strings.Repeat("rotate the key beta beta beta\nagain and again\n\n", 1)+
		"rotate the key beta beta beta beta\n\nrotate key beta beta beta beta beta\n\nrotate a key beta beta beta beta beta beta\n")
	reply := r.search(rotate)
	got := paths(reply)
	others := slices.IndexFunc(got, func(p string) bool { return p != "many.go" })
	if last := slices.Index(got[max(others, 0):], "many.go"); others < 0 || others > 3 || last >= 0 && last+others < len(got)-1 {
		t.Errorf("more than three hits of one file before others: %v", got)
	}
}

func TestCopies_DoNotFillTheAnswer(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Diversify = .3 })
	for i := range 4 {
		r.stored(fmt.Sprintf("copy%d/f.go", i), "rotate the session ticket keys daily\n")
	}
	r.stored("other/g.go", "rotate some other certificate keys by hand\n")
	two := 2
	in := contract.SearchRequest{Query: "rotate keys", K: &two, Explain: true, Off: []string{"fold"}}
	reply := r.search(in)
	if !slices.Contains(paths(reply), "other/g.go") {
		t.Errorf("hits %v", paths(reply))
	}
	if reply.Hits[0].Score < reply.Hits[1].Score || reply.Hits[1].Signals["diversify_from"] == 0 {
		t.Errorf("scores %v and %v, signals %v", reply.Hits[0].Score, reply.Hits[1].Score, reply.Hits[1].Signals)
	}
	if s := traced(reply, "diversify"); s == nil || s.In != 5 {
		t.Errorf("trace %+v", s)
	}
	if reply := r.search(without(in, "diversify")); slices.Contains(paths(reply), "other/g.go") || reply.Hits[0].Signals["diversify_from"] != 0 {
		t.Errorf("switched off: hits %v", paths(reply))
	}
}
