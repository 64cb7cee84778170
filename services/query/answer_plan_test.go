package query

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// planning is a rig with a model that plans in some way, and answers from what it is given.
func planning(t *testing.T, plans http.HandlerFunc, set ...func(*rig)) (*rig, *chat) {
	t.Helper()
	model := &chat{plans: plans, says: func(asked string) string {
		if strings.Contains(asked, "Defaults to 2s") {
			return "It waits 2s between attempts [1]."
		}
		return "NOT IN THE PASSAGES"
	}}
	r := newRig(t, append([]func(*rig){withModel(t, model)}, set...)...)
	r.stored("net/options.go", waits)
	r.stored("birds/pause.md", "The heron waits for a long time before it tries again to catch the fish.\n")
	return r, model
}

func proposing(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { say(w, text) }
}

// The question has no word of the file that answers it.
var pauseAsked = contract.AnswerRequest{Query: "combien de secondes avant une nouvelle tentative?", Token: "latest", DeadlineMS: 30_000}

func TestModelPlans_QuestionIsSearchedInItsWordingsToo(t *testing.T) {
	r, model := planning(t, proposing("Sure:\n```json\n{\"translation\": \"how many seconds before another attempt?\", \"names\": [\"ReconnectWait\"], \"wordings\": [\"time to wait between attempts to reconnect\", \"source:secret wait\", \"one more\"]}\n```"))
	got, err := r.answer(pauseAsked)
	if err != nil {
		t.Fatal(err)
	}
	want := &contract.AnswerPlan{Wordings: []string{"how many seconds before another attempt?", "ReconnectWait", "time to wait between attempts to reconnect"}}
	plan := got.summary.Plan
	if plan == nil || plan.TookMS <= 0 {
		t.Fatalf("the summary tells no plan: %+v", got.summary)
	}
	if want.TookMS = plan.TookMS; !reflect.DeepEqual(plan, want) {
		t.Errorf("plan %+v, want %+v", plan, want)
	}
	if got.summary.Outcome != contract.AnswerGiven || !slices.ContainsFunc(got.sources, func(p contract.ContextPassage) bool { return p.Path == "net/options.go" }) {
		t.Errorf("%+v of %+v", got.summary, got.sources)
	}
	calls := model.calls()
	if len(calls) != 2 || !calls[0].plans() || calls[0].asked() != pauseAsked.Query || strings.Contains(calls[1].asked(), "ReconnectWait time") {
		t.Errorf("the model was asked %+v", calls)
	}
	if u := got.summary.Usage; u == nil || u.In != 2000 || u.Out != 100 || u.Cost == nil || *u.Cost != .005 {
		t.Errorf("both calls are counted as %+v", u)
	}
}

// An answer out of many places gets more of them, unless whoever asks has said how many.
func TestModelClassifiesTheQuestion_OverviewsAndListsGetMorePassages(t *testing.T) {
	for _, c := range []struct {
		says   string
		in     contract.AnswerRequest
		class  string
		preset string
		packed int
	}{
		{says: "fact", class: contract.ClassFact, packed: 8},
		{says: "overview", class: contract.ClassOverview, preset: contract.PresetBroad, packed: 12},
		{says: "list", class: contract.ClassList, preset: contract.PresetDeep, packed: 15},
		{says: "list", in: contract.AnswerRequest{TopK: 3}, class: contract.ClassList, packed: 3},
		{says: "list", in: contract.AnswerRequest{Preset: "focused"}, class: contract.ClassList, packed: 5},
		{says: "poem", packed: 8},
	} {
		r, _ := planning(t, proposing(`{"class": "`+c.says+`", "wordings": ["seconds between attempts"]}`))
		for i := range 20 {
			r.stored(fmt.Sprintf("net/wait%d.go", i), fmt.Sprintf("// Defaults to 2s between attempts of kind %d.\nfunc wait%d() {\n}\n", i*i*7919, i))
		}
		c.in.Query, c.in.Token, c.in.DeadlineMS = "how long does it wait between attempts?", "latest", 30_000
		got, err := r.answer(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if p := got.summary.Plan; p == nil || p.Class != c.class || p.Preset != c.preset || len(got.sources) != c.packed {
			t.Errorf("%s, %+v: %d passages, plan %+v", c.says, c.in, len(got.sources), p)
		}
	}
}

// A plan is help, and no condition.
func TestPlanIsLateBrokenOrNone_QuestionIsSearchedAsItIs(t *testing.T) {
	for name, c := range map[string]struct {
		plans http.HandlerFunc
		why   string
	}{
		"late": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, contract.PlanLate},
		"broken": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		}, contract.PlanFailed},
		"prose":            {proposing("You could look for reconnects."), contract.PlanEmpty},
		"only what it was": {proposing(`{"wordings": ["How long does it wait between attempts to reconnect?"]}`), contract.PlanEmpty},
		"too much of it":   {proposing(`{"wordings": ["` + strings.Repeat("wait ", 100) + `"]}`), contract.PlanEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := planning(t, c.plans, func(r *rig) {
				if c.why == contract.PlanLate {
					r.cfg.Answer.Planning = 50 * time.Millisecond
				}
			})
			got, err := r.answer(howLong)
			if err != nil {
				t.Fatal(err)
			}
			if p := got.summary.Plan; p == nil || p.Why != c.why || len(p.Wordings) > 0 || got.summary.Outcome != contract.AnswerGiven {
				t.Errorf("plan %+v, %+v", p, got.summary)
			}
		})
	}
}
