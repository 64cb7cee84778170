package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// ledger is a function of a length that people copy.
func ledger(lines int) string {
	var b strings.Builder
	b.WriteString("package ledger\n// Reconcile settles the open entries of the ledger.\nfunc Reconcile(seed int) int {\n")
	for i := range lines {
		fmt.Fprintf(&b, "\tentry%d := settle(seed, %d)\n", i, i)
	}
	b.WriteString("\treturn entry0\n}\n")
	return b.String()
}

// copied is a rig with a text in three places, and two that are about the same.
func copied(t *testing.T) *rig {
	t.Helper()
	r := newRig(t, func(r *rig) {
		r.sources = append(r.sources, contract.SourceInfo{Source: "own", Kind: contract.SourceFolder, View: document.Worktree, Watched: true})
	})
	r.stored("a/ledger.go", ledger(20))
	r.stored("b/ledger.go", ledger(20))
	r.stored("own:c/ledger.go", ledger(20))
	r.stored("d/book.go", "package book\n// Book keeps what Reconcile makes of the ledger.\ntype Book struct{ total int }\n")
	r.stored("e/page.go", "package page\n// Page prints the ledger after Reconcile.\nfunc Page() { print() }\n")
	return r
}

// standings are the hits of an answer, each with its copies.
func standings(reply contract.SearchReply) (out []string) {
	for _, h := range reply.Hits {
		text := string(h.Source) + ":" + string(h.Path)
		for _, c := range h.Copies {
			text += " = " + string(c.Source) + ":" + string(c.Path)
			if c.Differs {
				text += "?"
			}
		}
		out = append(out, text)
	}
	return out
}

// folded is the first hit that has copies.
func folded(reply contract.SearchReply) (h contract.Hit) {
	if i := slices.IndexFunc(reply.Hits, func(h contract.Hit) bool { return len(h.Copies) > 0 }); i >= 0 {
		h = reply.Hits[i]
	}
	return h
}

func TestCopies_TakeOnePlace(t *testing.T) {
	r := copied(t)
	three := 3
	in := contract.SearchRequest{Query: "Reconcile the ledger", Token: "latest", K: &three, Explain: true}
	reply := r.search(in)
	got := standings(reply)
	first := folded(reply)
	if len(got) != 3 || len(first.Copies) != 2 || !strings.Contains(strings.Join(got, " "), "d/book.go") || !strings.Contains(strings.Join(got, " "), "e/page.go") {
		t.Fatalf("got %v", got)
	}
	for _, c := range first.Copies {
		if c.StartLine != first.StartLine || c.EndLine != first.EndLine || c.Version == 0 || c.View != document.Worktree || c.Differs {
			t.Errorf("copy %+v of %s:%d-%d", c, first.Path, first.StartLine, first.EndLine)
		}
	}
	if s := traced(reply, "fold"); s == nil || s.In-s.Out != 2 || s.Note != "2 folded" {
		t.Errorf("traced as %+v", s)
	}

	in.Off = []string{request.OffFold}
	for _, p := range standings(r.search(in)) {
		if strings.Contains(p, "=") {
			t.Errorf("without the stage: %v", p)
		}
	}
}

func TestCopyThatWasAskedFor_IsNotFolded(t *testing.T) {
	r := copied(t)
	for name, c := range map[string]struct {
		in   contract.SearchRequest
		want []string
	}{
		"in its folder":      {contract.SearchRequest{Filter: contract.Filter{Paths: []string{"b/"}}}, []string{"s:b/ledger.go"}},
		"in both folders":    {contract.SearchRequest{Filter: contract.Filter{Paths: []string{"a/", "b/"}}}, []string{"s:a/ledger.go", "s:b/ledger.go"}},
		"in both sources":    {contract.SearchRequest{Filter: contract.Filter{Sources: []document.Source{"s", "own"}, Paths: []string{"*ledger.go"}}}, []string{"s:a/ledger.go = s:b/ledger.go", "own:c/ledger.go"}},
		"in the own project": {contract.SearchRequest{Own: []document.Source{"own"}, Filter: contract.Filter{Paths: []string{"*ledger.go"}}}, []string{"own:c/ledger.go = s:a/ledger.go = s:b/ledger.go"}},
	} {
		c.in.Query, c.in.Token = "Reconcile the ledger", "latest"
		got := standings(r.search(c.in))
		slices.Sort(got)
		slices.Sort(c.want)
		if strings.Join(got, ", ") != strings.Join(c.want, ", ") {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// A copy with a word more is folded, unless the word was asked for.
func TestCopyDiffersInTheWordAskedFor_IsAHit(t *testing.T) {
	r := copied(t)
	r.stored("f/ledger.go", strings.Replace(ledger(20), "\treturn", "\tzebra()\n\treturn", 1))
	all := strings.Join(standings(r.search(contract.SearchRequest{Query: "Reconcile the ledger", Token: "latest"})), ", ")
	if !strings.Contains(all, "= s:f/ledger.go?") && !strings.Contains(all, "s:f/ledger.go = ") {
		t.Errorf("alike and not folded: %v", all)
	}
	found := standings(r.search(contract.SearchRequest{Query: "Reconcile the ledger zebra", Token: "latest"}))
	if !slices.ContainsFunc(found, func(p string) bool { return strings.HasPrefix(p, "s:f/ledger.go") }) {
		t.Errorf("the only one with the word is no hit: %v", found)
	}
}

// What was saved a moment ago must be seen though it hardly differs.
func TestCopyIsChangedAndNotIndexedYet_IsAHit(t *testing.T) {
	r := copied(t)
	token := r.write("b/ledger.go", strings.Replace(ledger(20), "entry3 :=", "entry3 =", 1))
	in := contract.SearchRequest{Query: "Reconcile the ledger", Token: token.String(), DeadlineMS: 50}
	got := standings(r.search(in))
	if !slices.ContainsFunc(got, func(p string) bool { return strings.HasPrefix(p, "s:b/ledger.go") }) {
		t.Errorf("the pending version is no hit: %v", got)
	}
}

func TestFoldedPassage_IsExplained(t *testing.T) {
	r := copied(t)
	in := contract.SearchRequest{Query: "Reconcile the ledger", Token: "latest"}
	first := folded(r.search(in))
	for _, path := range []document.Path{"a/ledger.go", "b/ledger.go"} {
		x := r.why(path, in)
		if path == first.Path {
			if x.Verdict != contract.VerdictFound {
				t.Errorf("%s: %s at %s", path, x.Verdict, x.Stage)
			}
			continue
		}
		if x.Stage != "fold" || !strings.Contains(x.Summary, string(first.Path)) {
			t.Errorf("%s is lost at %q: %s", path, x.Stage, x.Summary)
		}
	}
}

// heronry is a rig with a text in so many files.
func heronry(t *testing.T, n int) *rig {
	t.Helper()
	r := newRig(t, func(r *rig) { r.cfg.Overfetch, r.cfg.MaxOverfetch = 400, 400 })
	for i := range n {
		r.stored(fmt.Sprintf("c%03d/notice.go", i), "the heron stands in the weir\n")
	}
	return r
}

// A licence stands in thousands of files, and an answer has to fit into a message.
func TestTextInManyFiles_TellsHowManyMoreThereAre(t *testing.T) {
	r := heronry(t, contract.MostCopies+20)
	reply := r.search(contract.SearchRequest{Query: "heron weir"})
	if first := folded(reply); len(reply.Hits) != 1 || len(first.Copies) != contract.MostCopies || first.MoreCopies != 19 {
		t.Errorf("%d hits, %d copies and %d more", len(reply.Hits), len(first.Copies), first.MoreCopies)
	}
}

// Behind sixty copies a document is not to be had, so that no time is left for what
// follows: what was found before it is an answer all the same.
func TestTimeIsOverBehindCopies_AnswersWithWhatWasFound(t *testing.T) {
	r := heronry(t, 60)
	r.stored("large.go", "the heron stands in the weir, it is said\n\n"+tooLargeForAMessage()+"\n")
	for i := range 30 {
		r.stored(fmt.Sprintf("other%02d.go", i), fmt.Sprintf("of %d others with quite other words some say that a heron was there, or %d\n", i, i*i))
	}
	r.stall(r.last(contract.StreamChunks, contract.ChunksSubject(generation, "s", document.DocOf("large.go"))).Header.Get(contract.HeaderClaim))
	reply, err := r.ask(contract.SearchRequest{Query: "heron weir", DeadlineMS: 2000})
	if err != nil {
		t.Fatal(err)
	}
	if first := folded(reply); len(first.Copies) < 20 || !strings.Contains(strings.Join(reply.Degraded, "\n"), "time: not all") {
		t.Errorf("%v, degraded %q", standings(reply), reply.Degraded)
	}
}
