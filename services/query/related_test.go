package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

func (r *rig) relate(in contract.RelatedRequest) contract.RelatedReply {
	r.Helper()
	reply, err := client.Related.Ask(r.Context(), r.bus.Conn(), in)
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

// relations writes what is related as "relation name path:line", one each.
func relations(reply contract.RelatedReply) (out []string) {
	for _, one := range reply.Related {
		for _, w := range one.Why {
			out = append(out, strings.TrimSpace(w.Relation+" "+w.Name)+" "+string(one.Passage.Path)+fmt.Sprintf(":%d", one.Passage.Line))
		}
	}
	return out
}

// byName leaves out what is near: which passages are depends on the model.
var byName = []string{contract.RelatedCalls, contract.RelatedCalledBy, contract.RelatedTests}

func retries(r *rig) {
	r.stored("net/retry.go", "func Retry(c Config) {\n\tBackoff(c)\n}\n")
	r.stored("net/backoff.go", "func Backoff(c Config) {\n\tsleep()\n}\n")
	r.stored("net/client.go", "func Fetch() {\n\tx := 1\n\tRetry(nil)\n}\n\nfunc Other() {\n\t// Retrying is not Retry's name\n}\n")
	r.stored("net/retry_test.go", "func TestRetry() {\n\tRetry(nil)\n}\n")
}

func TestPassage_IsRelatedAsItsNamesSay(t *testing.T) {
	r := newRig(t)
	retries(r)
	reply := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2, Relations: byName})
	want := []string{"calls Backoff net/backoff.go:1", "called_by Retry net/client.go:3", "tests Retry net/retry_test.go:2"}
	if got := relations(reply); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if reply.Of.StartLine != 1 || reply.Of.EndLine != 3 || !slices.Equal(reply.Of.Names, []string{"Retry"}) {
		t.Errorf("%+v", reply.Of)
	}
	by := r.relate(contract.RelatedRequest{Path: "net/retry.go", ID: &reply.Of.ID, Relations: []string{contract.RelatedTests}, Text: contract.TextFull})
	if got := relations(by); len(got) != 1 || by.Related[0].Passage.Text != "func TestRetry() {\n\tRetry(nil)\n}\n" && by.Related[0].Passage.Text != "func TestRetry() {\n\tRetry(nil)\n}" {
		t.Errorf("%q %+v", got, by.Related)
	}
	near := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2})
	if got := relations(near); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "near net/") }) {
		t.Errorf("nothing is near: %q", got)
	}
	for _, one := range near.Related {
		if one.Passage.Path == "net/retry.go" || one.Passage.Text == "" {
			t.Errorf("%+v", one)
		}
	}
}

// What has changed since it was indexed is not shown as it was, and what is new is there
// or said to be missing.
func TestUseThatHasGone_IsNotShown(t *testing.T) {
	r := newRig(t)
	retries(r)
	token := r.write("net/client.go", "func Fetch() {\n\tnothing()\n}\n")
	r.write("net/new.go", "func Fresh() {\n\tRetry(nil)\n}\n")
	reply := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 1, Relations: []string{contract.RelatedCalledBy}})
	if got := relations(reply); !slices.Equal(got, []string{"called_by Retry net/new.go:2"}) || reply.Token.Seq < token.Seq {
		t.Errorf("%q, token %s", got, reply.Token)
	}
	var pending []string
	for _, p := range reply.Pending {
		pending = append(pending, fmt.Sprintf("%s %t", p.Path, p.Searched))
	}
	slices.Sort(pending)
	if len(reply.Related) != 1 || !reply.Related[0].Passage.Pending || reply.Pending != nil && !slices.Equal(pending, []string{"net/client.go true", "net/new.go true"}) {
		t.Errorf("%+v, pending %q", reply.Related, pending)
	}
	reply = r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 1, Relations: byName, Token: "latest", DeadlineMS: 300})
	if len(reply.Pending) != 2 {
		t.Errorf("pending %+v", reply.Pending)
	}
	r.remove("net/new.go")
	r.remove("net/retry_test.go")
	reply = r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 1, Relations: []string{contract.RelatedCalledBy, contract.RelatedTests}})
	if got := relations(reply); len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// The lines of a document are searched while it is cut: they hold the passage, which has
// its name, and are shown without it.
func TestLinesAroundAPassageAreSearched_OnlyUsesAmongThemAreRelated(t *testing.T) {
	const retry, uses, other = "func Retry(c Config) {\n\tRetry(c)\n}\n", "func Other() {\n\tRetry()\n}\n", "func Other() {\n\tnothing()\n}\n"
	r := newRig(t)
	e, done := r.svc.turn()
	e.plain.Reader = knowsNoCut{e.plain.Reader}
	done()
	for _, c := range []struct {
		text string
		line int
		want []string
	}{
		{retry + "\n" + other, 2, nil},
		{retry + "\n" + uses, 2, []string{"called_by Retry net/retry.go:6"}},
		{uses + "\n" + retry + "\n" + uses, 6, []string{"called_by Retry net/retry.go:2", "called_by Retry net/retry.go:10"}},
	} {
		r.write("net/retry.go", c.text)
		r.cut("net/retry.go")
		reply := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: c.line, Relations: []string{contract.RelatedCalledBy}, Text: contract.TextFull})
		if got := relations(reply); !slices.Equal(got, c.want) {
			t.Errorf("of\n%s%q, want %q", c.text, got, c.want)
		}
	}
}

// knowsNoCut lags behind what the log has: no document is known to be cut.
type knowsNoCut struct{ plain.Reader }

func (knowsNoCut) Cut(resolve.DocKey, document.Hash) bool { return false }

func TestPassageIsNotCutYet_ItsLinesAreTaken(t *testing.T) {
	r := newRig(t)
	retries(r)
	r.write("net/fresh.go", "func Fresh() {\n\tBackoff(nil)\n}\n")
	reply := r.relate(contract.RelatedRequest{Path: "net/fresh.go", Line: 2, Relations: byName})
	if got := relations(reply); !slices.Equal(got, []string{"calls Backoff net/backoff.go:1"}) || !says(reply.Degraded, "still being made") || !reply.Of.Pending {
		t.Errorf("%q, %+v", got, reply)
	}
}

// An empty file is one of those: an editor has begun to write it.
func TestDocumentIsNotCutYet_LineThatItDoesNotHaveIsRefused(t *testing.T) {
	r := newRig(t)
	for name, text := range map[string]string{"net/fresh.go": "func Fresh() {\n}\n", "net/empty.go": ""} {
		r.write(name, text)
		_, err := client.Related.Ask(t.Context(), r.bus.Conn(), contract.RelatedRequest{Path: document.Path(name), Line: 4})
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "has no line 4") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A passage that the stores do not show yet is known by all that it defines, as it is by
// theirs.
func TestPassageIsNotIndexedYet_EachOfItsNamesIsFound(t *testing.T) {
	r := newRig(t)
	r.stored("net/retry.go", "func Retry(c Config) {\n\tBackoff(c)\n}\n")
	r.write("net/backoff.go", "func Wait() {\n\tsleep()\n}\nfunc Backoff(c Config) {\n\tsleep()\n}\n")
	r.cut("net/backoff.go")
	if got := relations(r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2, Relations: []string{contract.RelatedCalls}})); !slices.Equal(got, []string{"calls Backoff net/backoff.go:4"}) {
		t.Errorf("%q", got)
	}
}

// What plain lines define is not known: a document that has the name, and is not cut yet,
// is told as one that was not searched for it.
func TestDefinitionIsNotCutYet_ItIsToldAsNotSearched(t *testing.T) {
	r := newRig(t)
	token := r.stored("net/retry.go", "func Retry(c Config) {\n\tBackoff(c)\n}\n")
	r.write("net/backoff.go", "func Backoff(c Config) {\n\tsleep()\n}\n")
	r.write("net/other.go", "func Other() {\n\t// Backoff\n}\n")
	for _, asked := range []string{"", token.String()} {
		reply := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2, Relations: byName, Token: asked})
		var lacks []document.Path
		for _, p := range reply.Pending {
			if !p.Searched {
				lacks = append(lacks, p.Path)
			}
		}
		if !slices.Equal(lacks, []document.Path{"net/backoff.go"}) {
			t.Errorf("with token %q: not searched %v, related %q", asked, lacks, relations(reply))
		}
	}
}

// The chunker makes several passages of a long function, and each of them defines it.
func TestFunctionOfManyParts_CountsOnce(t *testing.T) {
	r := newRig(t)
	long := "func Retry(c Config) {\n\tBackoff(c)\n" + strings.Repeat("\n\tstep(c) // of Retry\n", 5) + "}\n"
	r.stored("net/retry.go", long)
	r.stored("cmd/main.go", "func Main() {\n\tRetry(nil)\n}\n")
	if got := relations(r.relate(contract.RelatedRequest{Path: "cmd/main.go", Line: 2, Relations: byName})); !slices.Equal(got, []string{"calls Retry net/retry.go:1"}) {
		t.Errorf("its definition: %q", got)
	}
	if got := relations(r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2, Relations: byName})); !slices.Equal(got, []string{"called_by Retry cmd/main.go:2"}) {
		t.Errorf("its uses: %q", got)
	}
}

// The stores have not removed what defined the same name in documents that are gone.
func TestDefinitionsThatHaveGone_DoNotCount(t *testing.T) {
	r := newRig(t)
	retries(r)
	for i := range 4 {
		name := fmt.Sprintf("net/backoff_%d.go", i)
		r.stored(name, "func Backoff(c Config) {\n\tsleep()\n}\n")
		r.remove(name)
		r.cut(name)
	}
	if got := relations(r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2, Relations: []string{contract.RelatedCalls}})); !slices.Equal(got, []string{"calls Backoff net/backoff.go:1"}) {
		t.Errorf("%q", got)
	}
}

func TestNameThatMayBeAnyOfMany_IsRelatedOnlyWhereItIsSure(t *testing.T) {
	r := newRig(t)
	for i := range 6 {
		r.stored(fmt.Sprintf("p%d/close.go", i), "func Close() {\n}\n")
	}
	r.stored("q/user.go", "func Use(x Thing) {\n\tx.Close()\n}\n")
	r.stored("p1/user.go", "func Near() {\n\tClose()\n}\n")
	for path, want := range map[document.Path][]string{"q/user.go": nil, "p1/user.go": {"calls Close p1/close.go:1"}} {
		if got := relations(r.relate(contract.RelatedRequest{Path: path, Line: 2, Relations: []string{contract.RelatedCalls}})); !slices.Equal(got, want) {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := relations(r.relate(contract.RelatedRequest{Path: "p1/close.go", Line: 1, Relations: []string{contract.RelatedCalledBy}})); !slices.Equal(got, []string{"called_by Close p1/user.go:2"}) {
		t.Errorf("%q", got)
	}
}

func TestStoreIsDown_RelationsAreDegraded(t *testing.T) {
	r := newRig(t)
	retries(r)
	r.lexical.fail(errors.New("the disk is gone"))
	reply := r.relate(contract.RelatedRequest{Path: "net/retry.go", Line: 2})
	if len(reply.Related) == 0 || !says(reply.Degraded, "lexical: ") {
		t.Errorf("%+v", reply)
	}
	r.vector.fail(errors.New("the other one, too"))
	if _, err := client.Related.Ask(t.Context(), r.bus.Conn(), contract.RelatedRequest{Path: "net/retry.go", Line: 2}); document.KindOf(err) != document.Unavailable {
		t.Error(err)
	}
}

func TestRelatedOfWhatIsNotThere_IsRefused(t *testing.T) {
	r := newRig(t)
	retries(r)
	id := r.relate(contract.RelatedRequest{Path: "net/client.go", Line: 1}).Of.ID
	for _, c := range []struct {
		in   contract.RelatedRequest
		kind document.ErrorKind
		says string
	}{
		{contract.RelatedRequest{Path: "net/retri.go", Line: 1}, document.NotFound, "did you mean net/retry.go?"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 9}, document.InvalidRequest, "has no line 9"},
		{contract.RelatedRequest{Path: "net/retry.go"}, document.InvalidRequest, "by one of its lines"},
		{contract.RelatedRequest{Path: "net/retry.go", ID: &id}, document.NotFound, "name it by a line"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 1, Relations: []string{"likes"}}, document.InvalidRequest, "choose from calls"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 1, Limit: 51}, document.InvalidRequest, "limit is 51"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 1, Text: "some"}, document.InvalidRequest, "text is"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 1, Filter: contract.Filter{Views: []document.View{"main"}}}, document.InvalidRequest, "names views"},
		{contract.RelatedRequest{Path: "net/retry.go", Line: 1, Filter: contract.Filter{Sources: []document.Source{"none"}}}, document.InvalidRequest, `there is no source "none"`},
	} {
		_, err := client.Related.Ask(t.Context(), r.bus.Conn(), c.in)
		if document.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v (%s)", c.in, err, document.KindOf(err))
		}
	}
}

// The chunker comes to a document between the look for its passages and that for its lines.
func TestDocumentIsCutWhileItsLinesAreTaken_ItsPassageIsTaken(t *testing.T) {
	r := newRig(t)
	token := r.write("net/retry.go", "func Retry(c Config) {\n\tBackoff(c)\n}\n")
	e, done := r.svc.turn()
	defer done()
	if err := e.index.Reach(t.Context(), token.Seq); err != nil {
		t.Fatal(err)
	}
	h, ok := r.bus.Files().Get(bus.FileKey{Source: "s", Doc: document.DocOf("net/retry.go"), View: document.Worktree})
	if !ok {
		t.Fatal("there is no head")
	}
	rel := &relating{in: contract.RelatedRequest{Path: "net/retry.go", Line: 2}}
	if cut, err := rel.takeLines(t.Context(), newSearch(t.Context(), e), &h); cut || err != nil || !strings.Contains(string(rel.text), "Backoff") {
		t.Errorf("before: %v, %v, %q", cut, err, rel.text)
	}
	r.cut("net/retry.go")
	rel = &relating{in: rel.in}
	if cut, err := rel.takeLines(t.Context(), newSearch(t.Context(), e), &h); !cut || err != nil || rel.text != nil {
		t.Errorf("after: %v, %v, %q", cut, err, rel.text)
	}
}
