package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// listener hears what is told of kept questions.
type listener struct {
	*rig
	sub *nats.Subscription
}

func (r *rig) listen() *listener {
	r.Helper()
	sub, err := r.bus.Conn().SubscribeSync(contract.AllStanding)
	if err != nil {
		r.Fatal(err)
	}
	return &listener{r, sub}
}

func (l *listener) next() contract.StandingHit {
	l.Helper()
	m, err := l.sub.NextMsgWithContext(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	var hit contract.StandingHit
	if err := json.Unmarshal(m.Data, &hit); err != nil || m.Subject != contract.StandingSubject(hit.ID) {
		l.Fatalf("%s: %s: %v", m.Subject, m.Data, err)
	}
	return hit
}

func (r *rig) watch(q contract.StandingQuestion) contract.Watched {
	r.Helper()
	w, err := client.AddWatch.Ask(r.Context(), r.bus.Conn(), contract.WatchAdd{Question: &q})
	if err != nil {
		r.Fatal(err)
	}
	return w
}

// fowl is a passage that answers the question about counting herons of a place.
func fowl(place string) string {
	return fmt.Sprintf("// countHerons counts the herons of the %s pond.\nfunc countHerons() int {\n\treturn len(herons)\n}\n", place)
}

const (
	askHerons = "count herons pond"
	other     = "// tide is the level of the sea.\nvar tide int\n"
)

func TestPassageAnswersAKeptQuestion_ToldOnceBothIndexesHaveIt(t *testing.T) {
	r := newRig(t)
	r.stored("birds/countHerons.go", fowl("old"))
	l := r.listen()
	kept := r.watch(contract.StandingQuestion{Query: askHerons})
	if kept.Subject != contract.StandingSubject(kept.ID) || kept.Seconds <= 0 || kept.Token.IsZero() {
		t.Fatalf("%+v", kept)
	}
	r.stored("sea/tide.go", other)
	token := r.write("ponds/countHerons.go", other+"\n"+fowl("north"))
	r.cut("ponds/countHerons.go")
	r.index("ponds/countHerons.go", document.Lexical)
	// A later document that is searchable before.
	r.stored("marsh/countHerons.go", fowl("south"))
	first := l.next()
	if first.Hit.Path != "marsh/countHerons.go" {
		t.Fatalf("%s was told, which only one index has", first.Hit.Path)
	}
	r.index("ponds/countHerons.go", document.Vector)
	hit := l.next()
	h := &hit.Hit
	if hit.ID != kept.ID || h.Path != "ponds/countHerons.go" || h.StartLine != 4 || !strings.Contains(h.Text, "north pond") ||
		hit.Relevance < contract.DefaultRelevance || hit.Relevance > 1 || h.Version != document.Version(token.Seq) || hit.Token.Seq < token.Seq {
		t.Errorf("%+v", hit)
	}
}

func TestSeveralPassagesOfADocumentAnswer_TheBestIsTold(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	r.watch(contract.StandingQuestion{Query: askHerons, MinRelevance: .001})
	r.stored("lake/birds.go", "// pond is where the herons are.\nvar pond []string\n\n"+fowl("north"))
	h := l.next()
	if !strings.Contains(h.Hit.Text, "north") || h.More != 1 {
		t.Errorf("%+v", h)
	}
}

func TestDocumentIsEditedElsewhere_KeptQuestionIsNotToldAgain(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	r.watch(contract.StandingQuestion{Query: askHerons})
	r.stored("ponds/countHerons.go", fowl("north"))
	if h := l.next(); !strings.Contains(h.Hit.Text, "north") {
		t.Fatalf("%+v", h)
	}
	r.stored("ponds/countHerons.go", other+"\n"+fowl("north"))
	r.stored("ponds/countHerons.go", other+"\n"+fowl("south"))
	h := l.next()
	if !strings.Contains(h.Hit.Text, "south") || h.Hit.StartLine != 4 {
		t.Errorf("an edit elsewhere was told: %+v", h)
	}
	// The same version again, as an index that was restored lists it.
	r.index("ponds/countHerons.go", document.Lexical)
	r.stored("ponds/countHerons.go", other+"\n"+fowl("west"))
	if h := l.next(); !strings.Contains(h.Hit.Text, "west") {
		t.Errorf("a version was told twice: %+v", h)
	}
}

// overtaken is a teller of the questions that are kept, which has looked at nothing yet
// when the log has come to a token.
func (r *rig) overtaken(by document.Token) (*engine, *teller) {
	r.Helper()
	e, done := r.svc.turn()
	r.Cleanup(done)
	if err := e.index.Reach(r.Context(), by.Seq); err != nil {
		r.Fatal(err)
	}
	kept, err := watches{r.svc}.all(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	slow := newTeller(r.svc)
	slow.kept, slow.changed = kept, true
	if err := slow.prepare(r.Context(), e); err != nil {
		r.Fatal(err)
	}
	return e, slow
}

// A newer version takes the place of the one that is held, in the moment before it is told.
func TestNewerVersionOvertakesTheNews_ItIsToldOnce(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	r.watch(contract.StandingQuestion{Query: askHerons})
	r.stored("ponds/countHerons.go", fowl("north"))
	if h := l.next(); h.Hit.Path != "ponds/countHerons.go" {
		t.Fatalf("%+v", h)
	}
	k := bus.FileKey{Source: "s", Doc: document.DocOf("ponds/countHerons.go"), View: document.Worktree}
	held, _ := r.bus.Files().Get(k)
	token := r.write("ponds/countHerons.go", other+"\n"+fowl("north"))
	e, slow := r.overtaken(token)
	// As if the question had come before the document.
	slow.asked[0].record.After = 0
	moved, err := slow.holdBatch(t.Context(), e, []contract.FileHead{held}, map[bus.FileKey]unheld{})
	if err != nil || len(moved) != 1 {
		t.Errorf("moved %v, %v", moved, err)
	}
	r.settle("ponds/countHerons.go")
	r.stored("marsh/countHerons.go", fowl("south"))
	if h := l.next(); h.Hit.Path != "marsh/countHerons.go" {
		t.Errorf("the newer version is told with what the one before had: %+v", h)
	}
}

// What was settled was new when it came, also where a newer version hides it from the
// look for news.
func TestNewerVersionIsPendingAtTheLookForNews_NothingIsLost(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	teller := newTeller(r.svc) // of a question that the service does not know
	teller.heard = math.MaxUint64
	teller.kept["mine"] = contract.Standing{Question: contract.StandingQuestion{Query: askHerons}, Until: time.Now().Add(time.Hour)}
	defer teller.rest()
	pass := func() {
		t.Helper()
		if err := teller.pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	pass()
	r.stored("ponds/countHerons.go", fowl("north"))
	r.write("ponds/countHerons.go", other+"\n"+fowl("north"))
	pass()
	r.settle("ponds/countHerons.go")
	r.stored("marsh/countHerons.go", fowl("south"))
	last, err := r.bus.LastSeq(t.Context(), contract.StreamIndexed)
	if err == nil {
		err = r.bus.Outputs(contract.StreamIndexed).Wait(t.Context(), last)
	}
	if err != nil {
		t.Fatal(err)
	}
	unheld := func() int {
		teller.mu.Lock()
		defer teller.mu.Unlock()
		return len(teller.dirty)
	}
	for unheld() > 0 {
		pass()
	}
	for _, want := range []document.Path{"ponds/countHerons.go", "marsh/countHerons.go"} {
		if h := l.next(); h.ID != "mine" || h.Hit.Path != want {
			t.Errorf("told %s of %s, want %s", h.ID, h.Hit.Path, want)
		}
	}
}

func TestKeptQuestionHasFilters_OnlyWhatPassesIsTold(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	kept := map[string]string{}
	for name, q := range map[string]contract.StandingQuestion{
		"folder":   {Query: askHerons, Filter: contract.Filter{Paths: []string{"lake"}}},
		"without":  {Query: askHerons + " -north"},
		"must":     {Query: askHerons + ` "north pond"`, MinRelevance: .1},
		"relevant": {Query: askHerons + " unicorn dragon gryphon phoenix"},
	} {
		kept[r.watch(q).ID] = name
	}
	var got []string
	for path, hits := range map[string]int{"lake/countHerons.go": 2, "marsh/countHerons.go": 1} {
		for _, place := range []string{"north", "south"} {
			r.stored(path, fowl(place))
			for range hits {
				h := l.next()
				if !strings.Contains(h.Hit.Text, place) {
					t.Errorf("%+v", h)
				}
				got = append(got, fmt.Sprint(kept[h.ID], " ", h.Hit.Path, " ", place))
			}
		}
	}
	slices.Sort(got)
	want := []string{
		"folder lake/countHerons.go north", "folder lake/countHerons.go south",
		"must lake/countHerons.go north", "must marsh/countHerons.go north",
		"without lake/countHerons.go south", "without marsh/countHerons.go south",
	}
	if !slices.Equal(got, want) {
		t.Errorf("told %q", got)
	}
}

func TestProcessThatTellsEnds_NextOneGoesOnWhereItWas(t *testing.T) {
	// Another process tells; here it is known by what it leaves.
	end := make(chan struct{})
	r := newRig(t, func(r *rig) {
		srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
		r.bus = b
		for _, sink := range document.Sinks {
			r.know(sink, contract.StoreRecord{Lineage: contract.Lineage{Store: string(sink) + "-1"}})
		}
		other, err := srv.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		holds, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- other.RunAlone(t.Context(), contract.KeyStanding, func(context.Context) error {
				close(holds)
				<-end
				return errors.New("killed")
			})
			other.Close()
		}()
		<-holds
		t.Cleanup(func() { <-ended })
	})
	l := r.listen()
	kept := r.watch(contract.StandingQuestion{Query: askHerons})
	told := r.stored("a/countHerons.go", fowl("first"))
	if _, err := r.bus.Bucket(contract.BucketMeta).Put(t.Context(), contract.KeyStanding, []byte(fmt.Sprint(told.Seq))); err != nil {
		t.Fatal(err)
	}
	r.stored("b/countHerons.go", fowl("second"))
	close(end)
	if h := l.next(); h.Hit.Path != "b/countHerons.go" || h.ID != kept.ID {
		t.Errorf("%+v", h)
	}
	last := r.stored("c/countHerons.go", fowl("third"))
	if h := l.next(); h.Hit.Path != "c/countHerons.go" {
		t.Errorf("%+v", h)
	}
	for r.Context().Err() == nil {
		raw, _, err := r.bus.Bucket(contract.BucketMeta).Get(r.Context(), contract.KeyStanding)
		if err != nil {
			t.Fatal(err)
		}
		if string(raw) == fmt.Sprint(last.Seq) {
			return
		}
	}
	t.Error("how far it was told is not noted")
}

func TestQuestionIsRemoved_NothingIsTold(t *testing.T) {
	r := newRig(t)
	l := r.listen()
	gone, stays := r.watch(contract.StandingQuestion{Query: askHerons}), r.watch(contract.StandingQuestion{Query: askHerons})
	list, err := client.RemoveWatch.Ask(t.Context(), r.bus.Conn(), contract.WatchRemove{ID: gone.ID})
	if err != nil || len(list.Questions) != 1 || list.Questions[0].ID != stays.ID {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, ask := range []func() error{
		func() error {
			_, err := client.RemoveWatch.Ask(t.Context(), r.bus.Conn(), contract.WatchRemove{ID: gone.ID})
			return err
		},
		func() error {
			_, err := client.AddWatch.Ask(t.Context(), r.bus.Conn(), contract.WatchAdd{ID: gone.ID})
			return err
		},
	} {
		if err := ask(); document.KindOf(err) != document.NotFound {
			t.Errorf("a question that is gone gives %v", err)
		}
	}
	r.stored("ponds/countHerons.go", fowl("north"))
	if h := l.next(); h.ID != stays.ID {
		t.Errorf("%+v", h)
	}
	if w, err := client.AddWatch.Ask(t.Context(), r.bus.Conn(), contract.WatchAdd{ID: stays.ID}); err != nil || w.ID != stays.ID || w.Seconds < int(contract.StandingTime.Seconds())-60 {
		t.Errorf("%+v, %v", w, err)
	}
}

func TestSourceThatAQuestionNamesIsRemoved_QuestionIsForgotten(t *testing.T) {
	r := newRig(t)
	r.stored("sea/tide.go", other)
	r.stored("t:sea/tide.go", other)
	named := r.watch(contract.StandingQuestion{Query: askHerons + " source:t"})
	stays := r.watch(contract.StandingQuestion{Query: askHerons})
	r.remove("t:sea/tide.go")
	r.settle("t:sea/tide.go")
	if _, err := bus.ForgetSource(t.Context(), r.bus, "t"); err != nil {
		t.Fatal(err)
	}
	list, err := client.ListWatches.Ask(t.Context(), r.bus.Conn(), client.None)
	if err != nil || len(list.Questions) != 1 || list.Questions[0].ID != stays.ID {
		t.Errorf("%s stays: %+v, %v", named.ID, list, err)
	}
}

func TestQuestionThatCannotBeKept_IsRefused(t *testing.T) {
	r := newRig(t)
	for name, in := range map[string]contract.WatchAdd{
		"nothing":        {},
		"both":           {ID: strings.Repeat("a", 26), Question: &contract.StandingQuestion{Query: "x"}},
		"empty":          {Question: &contract.StandingQuestion{Query: " "}},
		"sure":           {Question: &contract.StandingQuestion{Query: "x", MinRelevance: .99}},
		"filter":         {Question: &contract.StandingQuestion{Query: "x", Filter: contract.Filter{Kinds: []string{"nonsense"}}}},
		"id":             {ID: "nonsense"},
		"unknown source": {Question: &contract.StandingQuestion{Query: "x source:nonsense"}},
		"long":           {Question: &contract.StandingQuestion{Query: strings.Repeat("x ", 4096)}},
	} {
		_, err := client.AddWatch.Ask(t.Context(), r.bus.Conn(), in)
		if kind := document.KindOf(err); kind != document.InvalidRequest && kind != document.TooLarge && kind != document.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	raw, _, err := r.bus.Bucket(contract.BucketStanding).Get(t.Context(), "nonsense")
	if raw != nil || err != nil {
		t.Errorf("%s, %v", raw, err)
	}
}

func TestOneKeepsAsManyQuestionsAsThereIsRoomFor_OthersKeepTheirs(t *testing.T) {
	r := newRig(t)
	as := func(user string) error {
		inbox, err := r.bus.Conn().SubscribeSync(contract.InboxOf(user) + ".kept")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = inbox.Unsubscribe() }()
		if err := r.bus.Conn().PublishRequest(contract.SubjectWatchAdd, inbox.Subject, []byte(`{"question": {"query": "heron"}}`)); err != nil {
			t.Fatal(err)
		}
		m, err := inbox.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var reply contract.ErrorReply
		if err := json.Unmarshal(m.Data, &reply); err != nil || reply.Error.Kind == "" {
			return err
		}
		return document.Errorf(reply.Error.Kind, "%s", reply.Error.Message)
	}
	greedy := contract.OfUser("ask").Name
	for i := range contract.MostOwnStanding {
		raw, err := json.Marshal(contract.Standing{Question: contract.StandingQuestion{Query: "heron"}, Until: r.bus.Now().Add(contract.StandingTime), Owner: greedy})
		if err == nil {
			_, err = r.bus.Bucket(contract.BucketStanding).Update(t.Context(), fmt.Sprintf("%026d", i), raw, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := as("ask"); document.KindOf(err) != document.TooLarge {
		t.Errorf("one more than %d: %v", contract.MostOwnStanding, err)
	}
	for _, other := range []string{"write", "admin"} {
		if err := as(other); err != nil {
			t.Errorf("%s: %v", other, err)
		}
	}
}
