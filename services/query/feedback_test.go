package query

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// opened is an event about the first hit of an answer.
func opened(query string) contract.Feedback {
	return contract.Feedback{
		Kind: contract.FeedbackOpened, Query: query, Token: document.Token{Epoch: 1, Seq: 2},
		Hits: []contract.FeedbackHit{{Source: "s", Path: "a.go", StartLine: 1, EndLine: 3, ID: document.ChunkID{1}, Rank: 1}},
	}
}

func (r *rig) keep(f contract.Feedback) contract.FeedbackReply {
	r.Helper()
	return answer[contract.Feedback, contract.FeedbackReply](r, contract.SubjectFeedback, f)
}

func (r *rig) kept() []contract.FeedbackEvent {
	r.Helper()
	return answer[contract.FeedbackListRequest, contract.FeedbackListReply](r, contract.SubjectFeedbackList, contract.FeedbackListRequest{}).Events
}

func TestRepeatedEvent_CountsOnce(t *testing.T) {
	r := newRig(t)
	first := r.keep(opened("alpha"))
	if first.Repeated || first.Seq == 0 {
		t.Errorf("the first one: %+v", first)
	}
	if again := r.keep(opened("alpha")); !again.Repeated || again.Seq != first.Seq {
		t.Errorf("the same one again: %+v after %+v", again, first)
	}
	for name, change := range map[string]func(*contract.Feedback){
		"session": func(f *contract.Feedback) { f.Session = "2" },
		"by":      func(f *contract.Feedback) { f.By = "ada" },
		"answer":  func(f *contract.Feedback) { f.Token.Seq++ },
		"query":   func(f *contract.Feedback) { f.Query = "beta" },
		"hit":     func(f *contract.Feedback) { f.Hits[0].Rank = 2 },
	} {
		other := opened("alpha")
		change(&other)
		if rep := r.keep(other); rep.Repeated {
			t.Errorf("an event of another %s is taken for a repeated one", name)
		}
	}
	events := r.kept()
	if len(events) != 6 || events[0].Seq != first.Seq || events[0].Time.IsZero() {
		t.Fatalf("%d events are kept: %+v", len(events), events)
	}
	if !reflect.DeepEqual(opened("alpha"), events[0].Feedback) {
		t.Errorf("it comes back changed: %+v", events[0])
	}
}

// Who changes their mind and back again has the last word all the same.
func TestChangeOfMind_HasTheLastWord(t *testing.T) {
	r := newRig(t)
	want := []contract.FeedbackKind{contract.FeedbackUp, contract.FeedbackDown, contract.FeedbackUp}
	for _, kind := range want {
		f := opened("alpha")
		f.Kind = kind
		if rep := r.keep(f); rep.Repeated {
			t.Errorf("%s was taken for a repeated one", kind)
		}
	}
	var have []contract.FeedbackKind
	for _, e := range r.kept() {
		have = append(have, e.Kind)
	}
	if !slices.Equal(want, have) {
		t.Errorf("sent %v, kept %v", want, have)
	}
}

func TestWrongEvent_IsRefused(t *testing.T) {
	r := newRig(t)
	hit := func(change func(*contract.FeedbackHit)) func(*contract.Feedback) {
		return func(f *contract.Feedback) { change(&f.Hits[0]) }
	}
	for _, c := range []struct {
		names  string
		change func(*contract.Feedback)
	}{
		{"kind", func(f *contract.Feedback) { f.Kind = "liked" }},
		{"kind", func(f *contract.Feedback) { f.Kind = "" }},
		{"query", func(f *contract.Feedback) { f.Query = " \n" }},
		{"query", func(f *contract.Feedback) { f.Query = strings.Repeat("x", 17<<10) }},
		{"hits", func(f *contract.Feedback) { f.Hits = nil }},
		{"hits", func(f *contract.Feedback) { f.Hits = make([]contract.FeedbackHit, 101) }},
		{"token", func(f *contract.Feedback) { f.Token = document.Token{} }},
		{"session", func(f *contract.Feedback) { f.Session = strings.Repeat("x", 300) }},
		{"by", func(f *contract.Feedback) { f.By = strings.Repeat("x", 300) }},
		{"hits[0].source", hit(func(h *contract.FeedbackHit) { h.Source = "No Slug" })},
		{"hits[0].path", hit(func(h *contract.FeedbackHit) { h.Path = "../../etc/passwd" })},
		{"hits[0].path", hit(func(h *contract.FeedbackHit) { h.Path = "/etc/passwd" })},
		{"hits[0].path", hit(func(h *contract.FeedbackHit) { h.Path = "a\nb" })},
		{"hits[0].start_line", hit(func(h *contract.FeedbackHit) { h.StartLine = 0 })},
		{"hits[0].end_line", hit(func(h *contract.FeedbackHit) { h.EndLine = -1 })},
		{"hits[0].rank", hit(func(h *contract.FeedbackHit) { h.Rank = -1 })},
	} {
		f := opened("alpha")
		c.change(&f)
		_, err := client.GiveFeedback.Ask(t.Context(), r.bus.Conn(), f)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(fmt.Sprint(err), c.names) || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: %v", c.names, err)
		}
	}
	for names, body := range map[string]string{
		"passage":  `{"kind":"up","query":"a","token":"1.2","hits":[{"source":"s","path":"a.go","id":"first"}]}`,
		"token":    `{"kind":"up","query":"a","token":"new","hits":[{"source":"s","path":"a.go"}]}`,
		"thumb":    `{"kind":"up","query":"a","token":"1.2","thumb":"up","hits":[{"source":"s","path":"a.go"}]}`,
		"ends too": `{"kind":"up"`,
	} {
		m, err := r.bus.Conn().RequestWithContext(t.Context(), contract.SubjectFeedback, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(m.Data), "invalid_request") || !strings.Contains(string(m.Data), names) {
			t.Errorf("%s: %s", names, m.Data)
		}
	}
	if events := r.kept(); len(events) > 0 {
		t.Errorf("kept all the same: %+v", events)
	}
}

func TestPagesOfEvents_HaveEachEventOnce(t *testing.T) {
	r := newRig(t)
	var want []string
	add := func(query string) {
		want = append(want, query)
		r.keep(opened(query))
	}
	for i := range 5 {
		add(fmt.Sprint("question ", i))
	}
	read := func(limit int) (have []string, pages int) {
		for after := uint64(0); ; pages++ {
			rep := answer[contract.FeedbackListRequest, contract.FeedbackListReply](r, contract.SubjectFeedbackList, contract.FeedbackListRequest{Limit: limit, After: after})
			for _, e := range rep.Events {
				have = append(have, e.Query)
			}
			if rep.Next == 0 {
				return have, pages + 1
			}
			after = rep.Next
		}
	}
	for limit, most := range map[int]int{1: 5, 2: 3, 5: 1, 1000: 1} {
		if have, pages := read(limit); !slices.Equal(want, have) || pages != most {
			t.Errorf("by %d on %d pages: %q", limit, pages, have)
		}
	}
	// More than one message of a NATS server may hold.
	for i := range 80 {
		add(fmt.Sprint(i, strings.Repeat(" long", 3<<10)))
	}
	if have, pages := read(0); !slices.Equal(want, have) || pages < 2 {
		t.Errorf("%d events come on %d pages, of %d", len(have), pages, len(want))
	}
	_, err := client.ListFeedback.Ask(t.Context(), r.bus.Conn(), contract.FeedbackListRequest{Limit: 1001})
	if document.KindOf(err) != document.InvalidRequest {
		t.Errorf("a limit of 1001: %v", err)
	}
}

func TestPurge_LeavesNoEvents(t *testing.T) {
	r := newRig(t)
	purge := func() int {
		return int(answer[struct{}, contract.FeedbackPurgeReply](r, contract.SubjectFeedbackPurge, struct{}{}).Removed)
	}
	if n := purge(); n != 0 {
		t.Errorf("%d events were removed of none", n)
	}
	r.keep(opened("alpha"))
	r.keep(opened("beta"))
	if n := purge(); n != 2 || len(r.kept()) > 0 {
		t.Errorf("%d were removed, left are %+v", n, r.kept())
	}
	// What was removed is no event any more that could be repeated.
	if rep := r.keep(opened("alpha")); rep.Repeated || len(r.kept()) != 1 {
		t.Errorf("after the purge: %+v, %+v", rep, r.kept())
	}
}

// No answer waits for feedback, is newer for it, or tells of it.
func TestFeedback_DoesNotDisturbAnswers(t *testing.T) {
	r := newRig(t)
	token := r.stored("a.go", "alpha\n")
	before := r.search(contract.SearchRequest{Query: "alpha", Token: "latest"})
	r.keep(opened("alpha"))
	after := r.search(contract.SearchRequest{Query: "alpha", Token: "latest", DeadlineMS: 60_000})
	if before.Token != token || after.Token != token || len(after.Pending)+len(after.Degraded)+len(after.Failed) > 0 {
		t.Errorf("the log is at %s; before the event the answer is of %s, after it: %+v", token, before.Token, after)
	}
	if !reflect.DeepEqual(before.Hits, after.Hits) {
		t.Errorf("the hits are %+v, and were %+v", after.Hits, before.Hits)
	}
	status := answer[struct{}, contract.StatusReply](r, contract.SubjectStatus, struct{}{})
	if len(status.Degraded) > 0 || len(status.Streams) != len(contract.Streams) {
		t.Errorf("the status is %+v", status)
	}
}

func TestMissingStream_IsNamed(t *testing.T) {
	r := newRig(t)
	if err := r.bus.JetStream().DeleteStream(t.Context(), contract.StreamFeedback); err != nil {
		t.Fatal(err)
	}
	_, keep := client.GiveFeedback.Ask(t.Context(), r.bus.Conn(), opened("alpha"))
	_, list := client.ListFeedback.Ask(t.Context(), r.bus.Conn(), contract.FeedbackListRequest{})
	_, purge := client.PurgeFeedback.Ask(t.Context(), r.bus.Conn(), client.None)
	for _, err := range []error{keep, list, purge} {
		if document.KindOf(err) != document.Unavailable || !strings.Contains(fmt.Sprint(err), contract.StreamFeedback) {
			t.Error(errors.Join(errors.New("not told"), err))
		}
	}
}
