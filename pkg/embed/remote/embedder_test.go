package remote_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/embed/remote"
)

const dims = 48

// settings are of a model that nobody knows.
func settings(s *embedtest.Server, change ...func(*config.Embedder)) config.Embedder {
	c := config.Default().Embedder
	c.Provider, c.URL, c.Key, c.Model, c.Dimensions = config.OpenAI, s.URL()+"/v1", embedtest.Secret, "walrus-embed", dims
	for _, fn := range change {
		fn(&c)
	}
	return c
}

func open(t *testing.T, c config.Embedder) *remote.Embedder {
	t.Helper()
	e, err := remote.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "passage number n" + strconv.Itoa(i)
	}
	return out
}

// holds checks that each text has its own vector.
func holds(t *testing.T, s *embedtest.Server, texts []string, vectors []embed.Vector, errs []error) {
	t.Helper()
	for i, text := range texts {
		if errs[i] != nil {
			t.Errorf("%q: %v", text, errs[i])
			continue
		}
		want, err := embed.Round(s.Vector(text, dims))
		if err != nil || fmt.Sprint(vectors[i]) != fmt.Sprint(want) {
			t.Errorf("%q has the vector of another text: %v", text, err)
		}
	}
}

// The server answers in an order of its own.
func TestServerAnswersInItsOwnOrder_EachTextGetsItsVector(t *testing.T) {
	s := embedtest.Start(t, dims)
	e := open(t, settings(s, func(c *config.Embedder) { c.Inputs = 7 }))
	texts := numbered(50)
	vectors, errs := e.EmbedDocuments(t.Context(), texts)
	holds(t, s, texts, vectors, errs)
	asked := s.Asked()
	if len(asked) != 8 {
		t.Errorf("%d requests for 50 texts by sevens", len(asked))
	}
	for _, a := range asked {
		if a.Path != "/v1/embeddings" || a.Key != "Authorization" || a.Model != "walrus-embed" || a.Dims != 0 {
			t.Errorf("asked for %+v", a)
		}
	}
	if u := e.Usage(); u.Texts != 50 || u.Tokens != 150 || u.Requests != 8 || u.Retries != 0 {
		t.Errorf("counted %+v", u)
	}
}

func TestAzure_IsAskedInItsOwnWay(t *testing.T) {
	s := embedtest.Start(t, 1536)
	e := open(t, settings(s, func(c *config.Embedder) {
		c.Provider, c.URL, c.Version, c.Model, c.Dimensions = config.Azure, s.URL()+"/openai/deployments/d", "2024-10-21", "text-embedding-3-small", 256
	}))
	v, err := e.EmbedQuery(t.Context(), "walrus")
	if err != nil || len(v.Data) != 256 {
		t.Fatalf("%d values: %v", len(v.Data), err)
	}
	if a := s.Asked()[0]; a.Path != "/openai/deployments/d/embeddings?api-version=2024-10-21" || a.Key != "api-key" || a.Dims != 256 {
		t.Errorf("asked for %+v", a)
	}
}

func TestPrefixes_AreThoseOfTheModel(t *testing.T) {
	s := embedtest.Start(t, 768)
	e := open(t, settings(s, func(c *config.Embedder) { c.Model, c.Dimensions = "nomic-embed-text:latest", 0 }))
	if _, errs := e.EmbedDocuments(t.Context(), []string{"a heron"}); errs[0] != nil {
		t.Fatal(errs[0])
	}
	if _, err := e.EmbedQuery(t.Context(), "which bird"); err != nil {
		t.Fatal(err)
	}
	none := open(t, settings(s, func(c *config.Embedder) {
		c.Model, c.Dimensions, c.QueryPrefix, c.PassagePrefix = "nomic-embed-text", 0, "none", "none"
	}))
	if _, err := none.EmbedQuery(t.Context(), "which bird"); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, a := range s.Asked() {
		texts = append(texts, a.Texts...)
	}
	if got := strings.Join(texts, "|"); got != "search_document: a heron|search_query: which bird|which bird" {
		t.Errorf("asked for %s", got)
	}
	if none.Identity() == e.Identity() {
		t.Error("vectors with and without prefixes are taken for the same")
	}
}

// One text that the server refuses, or has no vector for, is found among many.
func TestBadText_LeavesItsNeighboursAlone(t *testing.T) {
	for name, spoil := range map[string]func(*embedtest.Server){
		"refused": func(s *embedtest.Server) { s.Refused = []string{"n17"} },
		"spoilt":  func(s *embedtest.Server) { s.Spoilt = []string{"n17"} },
		"no JSON": func(s *embedtest.Server) {
			s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
				if !strings.Contains(strings.Join(a.Texts, " "), "n17") {
					return false
				}
				_, _ = w.Write([]byte(`{"data": [{"index": 0, "embedding": [NaN, 1]}]}`)) // as Python writes it
				return true
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := embedtest.Start(t, dims)
			spoil(s)
			e := open(t, settings(s))
			texts := numbered(40)
			vectors, errs := e.EmbedDocuments(t.Context(), texts)
			if document.KindOf(errs[17]) != document.InvalidRequest {
				t.Errorf("the bad text: %v", errs[17])
			}
			vectors[17], errs[17], texts[17] = vectors[16], errs[16], texts[16]
			holds(t, s, texts, vectors, errs)
			if e.Trouble() != "" {
				t.Errorf("one text is told as trouble of the server: %s", e.Trouble())
			}
		})
	}
}

// What refuses everything is no fault of a text.
func TestServerThatRefusesEverything_IsNoFaultOfATextAndIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*embedtest.Server)
		kind  document.ErrorKind
		says  string
	}{
		"another length": {func(s *embedtest.Server) { s.Dims = dims + 1 }, document.IdentityMismatch, "vectors of 49 values where 48 are expected"},
		"too few": {func(s *embedtest.Server) {
			s.Fault = answers(`{"data": [], "usage": {}}`)
		}, document.Unavailable, "0 vectors for"},
		"one twice": {func(s *embedtest.Server) {
			s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
				return answers(`{"data": [`+strings.Repeat(`{"index": 0, "embedding": [1]},`, len(a.Texts)-1)+`{"index": 9, "embedding": [1]}]}`)(w, a)
			}
		}, document.Unavailable, "has the index 0, of 3"},
		"zeros":        {func(s *embedtest.Server) { s.Fault = zeros }, document.Unavailable, "no direction"},
		"a page":       {func(s *embedtest.Server) { s.Fault = answers("<html>") }, document.Unavailable, "unknown form"},
		"every text":   {func(s *embedtest.Server) { s.Refused = []string{""} }, document.Unavailable, "it refuses every text"},
		"no such path": {func(s *embedtest.Server) { s.Fault = fails(http.StatusNotFound, nil) }, document.Unavailable, "embedder.model"},
		"the key":      {func(s *embedtest.Server) { s.Fault = fails(http.StatusUnauthorized, nil) }, document.Unauthorized, "embedder.key"},
	} {
		t.Run(name, func(t *testing.T) {
			s := embedtest.Start(t, dims)
			c.spoil(s)
			e := open(t, settings(s))
			_, errs := e.EmbedDocuments(t.Context(), numbered(3))
			for _, err := range errs {
				if document.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: %v", document.KindOf(err), err)
				}
			}
			if e.Trouble() == "" || strings.Contains(e.Trouble(), embedtest.Secret) {
				t.Errorf("the trouble is told as %q", e.Trouble())
			}
			s.Change(func(s *embedtest.Server) { s.Fault, s.Refused, s.Dims = nil, nil, dims })
			if err := e.Probe(t.Context()); err != nil || e.Trouble() != "" {
				t.Errorf("when it is over: %v, %q", err, e.Trouble())
			}
		})
	}
}

func answers(body string) func(http.ResponseWriter, embedtest.Asked) bool {
	return func(w http.ResponseWriter, _ embedtest.Asked) bool {
		_, _ = w.Write([]byte(body))
		return true
	}
}

func zeros(w http.ResponseWriter, a embedtest.Asked) bool {
	data := make([]string, len(a.Texts))
	for i := range data {
		data[i] = fmt.Sprintf(`{"index": %d, "embedding": [%s0]}`, i, strings.Repeat("0,", dims-1))
	}
	return answers(`{"data": [`+strings.Join(data, ",")+`]}`)(w, a)
}

func fails(status int, header map[string]string) func(http.ResponseWriter, embedtest.Asked) bool {
	return func(w http.ResponseWriter, _ embedtest.Asked) bool {
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		return true
	}
}

// What was answered is not asked for again when the rest comes once more.
func TestRestComesOnceMore_WhatIsThereIsNotEmbeddedAgain(t *testing.T) {
	s := embedtest.Start(t, dims)
	e := open(t, settings(s, func(c *config.Embedder) { c.Inputs, c.Concurrency = 10, 1 }))
	n := 0
	s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
		n++
		return n >= 3 && fails(http.StatusUnauthorized, nil)(w, a)
	}
	texts := numbered(40)
	_, errs := e.EmbedDocuments(t.Context(), append(texts, texts[0]))
	if errs[19] != nil || errs[20] == nil || errs[39] == nil || errs[40] != nil {
		t.Fatalf("%v", errs)
	}
	s.Change(func(s *embedtest.Server) { s.Fault = nil })
	vectors, errs := e.EmbedDocuments(t.Context(), texts)
	holds(t, s, texts, vectors, errs)
	for text, times := range s.Times() {
		if times != 1 {
			t.Errorf("%q was embedded %d times", text, times)
		}
	}
	if u := e.Usage(); u.Reused != 20 {
		t.Errorf("%d vectors were remembered", u.Reused)
	}
}

// A server that asks for a pause is left alone for it, and a text is not lost.
func TestServerThatAsksForAPause_IsLeftAloneForIt(t *testing.T) {
	for name, header := range map[string]http.Header{
		"Retry-After": {"Retry-After": {"1"}},
		"used up":     {"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := embedtest.Start(t, dims)
			var times []time.Time
			s.Fault = func(w http.ResponseWriter, a embedtest.Asked) bool {
				if times = append(times, time.Now()); len(times) > 1 {
					return false
				}
				for k := range header {
					w.Header().Set(k, header.Get(k))
				}
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			}
			e := open(t, settings(s))
			if _, errs := e.EmbedDocuments(t.Context(), numbered(2)); errs[0] != nil || errs[1] != nil {
				t.Fatal(errs)
			}
			if len(times) != 2 || times[1].Sub(times[0]) < 990*time.Millisecond {
				t.Errorf("asked at %v", times)
			}
			if u := e.Usage(); u.Retries != 1 {
				t.Errorf("counted %+v", u)
			}
		})
	}
}

// A long pause is not waited for with a batch in hand: it is told.
func TestLongPause_IsToldInsteadOfWaitedFor(t *testing.T) {
	s := embedtest.Start(t, dims)
	s.Fault = fails(http.StatusTooManyRequests, map[string]string{"Retry-After": "30"})
	e := open(t, settings(s))
	for range 2 {
		if _, errs := e.EmbedDocuments(t.Context(), numbered(1)); document.KindOf(errs[0]) != document.RateLimited {
			t.Fatal(errs)
		}
	}
	if _, err := e.EmbedQuery(t.Context(), "walrus"); document.KindOf(err) != document.RateLimited {
		t.Error(err)
	}
	if err := e.Probe(t.Context()); document.KindOf(err) != document.RateLimited {
		t.Error(err)
	}
	if u := e.Usage(); u.Requests != 1 || !strings.Contains(e.Trouble(), "asked too often") {
		t.Errorf("asked %d times, told %q", u.Requests, e.Trouble())
	}
}

// However many texts fail, a server in trouble is not asked three times for each.
func TestServerInTrouble_RetriesHaveAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t, config.Embedder{Provider: config.OpenAI, URL: "http://127.0.0.1:1", Model: "m", Dimensions: dims, Inputs: 1, Concurrency: 4, Timeout: time.Second})
		for range 30 {
			if _, errs := e.EmbedDocuments(t.Context(), numbered(1)); document.KindOf(errs[0]) != document.Unavailable {
				t.Fatal(errs)
			}
		}
		if u := e.Usage(); u.Retries > 10 || u.Requests > 40 {
			t.Errorf("asked %d times, %d of them again", u.Requests, u.Retries)
		}
	})
}

// A server that takes its time costs a question no more than it has.
func TestSlowServer_CostsAQuestionNoMoreThanItsTime(t *testing.T) {
	s := embedtest.Start(t, dims)
	left := make(chan struct{})
	t.Cleanup(func() { close(left) })
	s.Fault = func(w http.ResponseWriter, _ embedtest.Asked) bool {
		_, _ = w.Write([]byte(`{"data": [`))
		w.(http.Flusher).Flush()
		<-left
		return true
	}
	e := open(t, settings(s, func(c *config.Embedder) { c.Timeout = 50 * time.Millisecond }))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := e.EmbedQuery(ctx, "walrus"); document.KindOf(err) != document.Deadline {
		t.Error(err)
	}
}

func TestServerThatDoesNotAnswerInTime_IsTold(t *testing.T) {
	s := embedtest.Start(t, dims)
	left := make(chan struct{})
	t.Cleanup(func() { close(left) })
	s.Fault = func(http.ResponseWriter, embedtest.Asked) bool {
		<-left
		return true
	}
	e := open(t, settings(s, func(c *config.Embedder) { c.Timeout = 20 * time.Millisecond }))
	if _, errs := e.EmbedDocuments(t.Context(), numbered(1)); document.KindOf(errs[0]) != document.Unavailable || !strings.Contains(errs[0].Error(), "embedder.timeout") {
		t.Error(errs)
	}
}

// What the model does not read is cut off before.
func TestLongText_IsCutOffBeforeItIsSent(t *testing.T) {
	s := embedtest.Start(t, dims)
	s.MostWords = 40
	e := open(t, settings(s, func(c *config.Embedder) { c.MaxTokens = 30 }))
	texts := []string{strings.Repeat("heron ", 500), "short"}
	if _, errs := e.EmbedDocuments(t.Context(), texts); errs[0] != nil || errs[1] != nil {
		t.Fatal(errs)
	}
	if got := strings.Fields(s.Asked()[0].Texts[0]); len(got) < 10 || len(got) > 30 {
		t.Errorf("%d words were sent", len(got))
	}
}

func TestSettingsThatDoNotFitTheModel_AreRefused(t *testing.T) {
	for name, c := range map[string]config.Embedder{
		"unknown":   {Provider: config.OpenAI, Model: "walrus"},
		"longer":    {Provider: config.OpenAI, Model: "text-embedding-3-small", Dimensions: 3072},
		"unbending": {Provider: config.OpenAI, Model: "text-embedding-ada-002", Dimensions: 256},
		"static":    {Provider: config.Static},
	} {
		if _, err := remote.New(c); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What vectors depend on is another identity; where the server is found is not.
func TestIdentity_NamesAllThatVectorsDependOn(t *testing.T) {
	base := config.Embedder{Provider: config.OpenAI, Model: "text-embedding-3-small"}
	seen := map[string]string{}
	for name, change := range map[string]func(*config.Embedder){
		"base": func(*config.Embedder) {}, "provider": func(c *config.Embedder) { c.Provider = config.Azure },
		"model": func(c *config.Embedder) { c.Model = "text-embedding-3-large" }, "dimensions": func(c *config.Embedder) { c.Dimensions = 512 },
		"query": func(c *config.Embedder) { c.QueryPrefix = "q: " }, "passage": func(c *config.Embedder) { c.PassagePrefix = "p: " },
		"tokens": func(c *config.Embedder) { c.MaxTokens = 100 },
	} {
		c := base
		change(&c)
		space, err := remote.SpaceOf(c)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := seen[space.Identity]; ok {
			t.Errorf("%s and %s are both %s", name, other, space.Identity)
		}
		seen[space.Identity] = name
	}
	c := base
	c.URL, c.Version, c.Key, c.Inputs = "https://elsewhere", "v", "k", 9
	if space, err := remote.SpaceOf(c); err != nil || seen[space.Identity] != "base" {
		t.Errorf("another address is another model: %s, %v", space.Identity, err)
	}
}
