package embedder

import (
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

func asking(t *testing.T, b *bus.Bus, s *embedtest.Server, change func(*config.Embedder)) *Service {
	t.Helper()
	c := config.Default().Embedder
	c.Provider, c.URL, c.Key, c.Model, c.Dimensions = config.OpenAI, s.URL()+"/v1", embedtest.Secret, "walrus-embed", 48
	change(&c)
	e, err := open.Embedder(c)
	if err != nil {
		t.Fatal(err)
	}
	svc, err := New(Config{Embedder: c, Generations: []document.Generation{testGeneration}}, Deps{Bus: b, Embedders: open.Alike(e)})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Outputs(contract.StreamVectors).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return svc
}

func degraded(s *Service) string { return strings.Join(s.report().Degraded, "\n") }

// A server that exchanges its model under the same name is noticed, by whoever comes
// later, too: nothing is written, and no question is compared with the former's.
func TestModelIsExchanged_ItIsNoticedAndNothingIsWritten(t *testing.T) {
	b := bustest.New(t)
	srv := embedtest.Start(t, 48)
	often := func(c *config.Embedder) { c.Canary = time.Nanosecond }
	s := asking(t, b, srv, often)
	if err := s.makers[0].handle(t.Context(), []*bus.Msg{passage(t, b, "a.go", "a calm text")})[0]; err != nil {
		t.Fatal(err)
	}
	last, err := b.LastSeq(t.Context(), contract.StreamVectors)
	if err != nil {
		t.Fatal(err)
	}

	srv.Change(func(s *embedtest.Server) { s.Salt = "v2" })
	more := []*bus.Msg{passage(t, b, "b.go", "another text"), passage(t, b, "c.go", "a third text")}
	for name, s := range map[string]*Service{"who saw the former": s, "who begins now": asking(t, b, srv, often)} {
		for _, m := range more {
			if err := s.makers[0].handle(t.Context(), []*bus.Msg{m})[0]; document.KindOf(err) != document.IdentityMismatch || !bus.Passing(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := s.embedQuery(t.Context(), contract.EmbedRequest{Text: "calm"}); document.KindOf(err) != document.IdentityMismatch {
			t.Errorf("%s: a question: %v", name, err)
		}
		if err := s.makers[0].probe(contract.StreamChunks)(t.Context()); document.KindOf(err) != document.IdentityMismatch {
			t.Errorf("%s: the probe: %v", name, err)
		}
		if d := degraded(s); !strings.Contains(d, "another model under the same name") || !strings.Contains(d, "embedder.revision") {
			t.Errorf("%s tells %q", name, d)
		}
	}
	if now, err := b.LastSeq(t.Context(), contract.StreamVectors); err != nil || now != last {
		t.Errorf("vectors of another model were written: %d after %d, %v", now, last, err)
	}
	// Another revision is another embedder, which begins with what is there now.
	again := asking(t, b, srv, func(c *config.Embedder) { c.Revision = "2" })
	if err := again.makers[0].handle(t.Context(), []*bus.Msg{passage(t, b, "d.go", "another text")})[0]; err != nil {
		t.Error(err)
	}
}

// What is spent is one sum of the log, which no restart forgets; where it reaches the
// day's budget documents wait, and questions are asked still.
func TestBudgetOfADayIsReached_DocumentsWaitAndQuestionsDoNot(t *testing.T) {
	b := bustest.New(t)
	srv := embedtest.Start(t, 48)
	frugal := func(c *config.Embedder) { c.Price, c.Budget = 1e6, 60 } // a token costs 1
	s := asking(t, b, srv, frugal)
	if err := s.makers[0].handle(t.Context(), []*bus.Msg{passage(t, b, "a.go", strings.Repeat("calm ", 50))})[0]; err != nil {
		t.Fatal(err)
	}
	r := s.report()
	if r.Spent == nil || r.Spent.Tokens < 60 || r.Spent.Cost != float64(r.Spent.Tokens) || r.Spent.Budget != 60 || r.Spent.AllTokens != r.Spent.Tokens {
		t.Fatalf("spent %+v", r.Spent)
	}
	next := []*bus.Msg{passage(t, b, "b.go", "more")}
	for name, s := range map[string]*Service{"goes on": s, "started again": asking(t, b, srv, frugal)} {
		asked := len(srv.Asked())
		if err := s.makers[0].handle(t.Context(), next)[0]; document.KindOf(err) != document.RateLimited || !bus.Passing(err) {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(srv.Asked()); n != asked {
			t.Errorf("%s: asked %d times more", name, n-asked)
		}
		if d := degraded(s); !strings.Contains(d, "the day's budget for vectors is used up") {
			t.Errorf("%s tells %q", name, d)
		}
		if _, err := s.embedQuery(t.Context(), contract.EmbedRequest{Text: "calm"}); err != nil {
			t.Errorf("%s: a question: %v", name, err)
		}
	}
	more := asking(t, b, srv, func(c *config.Embedder) { c.Price, c.Budget = 1e6, 1e6 })
	if err := more.makers[0].handle(t.Context(), next)[0]; err != nil {
		t.Error(err)
	}
}

// Two services of a process share a model while one build takes the place of another:
// each would book what both have used.
func TestBuildBesideAnother_IsBookedOnce(t *testing.T) {
	b := bustest.New(t)
	srv := embedtest.Start(t, 48)
	s := asking(t, b, srv, func(c *config.Embedder) { c.Price, c.Budget = 1e6, 1e6 })
	deps := s.deps
	deps.Beside, deps.Counted = true, deps.Embedders
	beside, err := New(s.cfg, deps)
	if err != nil {
		t.Fatal(err)
	}
	for i, svc := range []*Service{s, beside, s, beside} {
		if err := svc.makers[0].handle(t.Context(), []*bus.Msg{passage(t, b, document.Path(rune(0x61+i))+".go", strings.Repeat("calm ", 50+i))})[0]; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.ledger.book(t.Context()); err != nil { // what the other has used last, too
		t.Fatal(err)
	}
	used := s.ledger.models[0].model.Usage().Tokens
	for name, svc := range map[string]*Service{"the one that counts": s, "the other": beside, "one that begins now": asking(t, b, srv, func(c *config.Embedder) { c.Price, c.Budget = 1e6, 1e6 })} {
		if err := svc.ledger.allows(t.Context()); err != nil {
			t.Fatal(err)
		}
		if spent := svc.report().Spent; used == 0 || spent.AllTokens != used {
			t.Errorf("%s says %d tokens of %d", name, spent.AllTokens, used)
		}
	}
}
