package query

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

var (
	forBoard = document.Metadata{document.MetadataRoles: {"board"}}
	forStaff = document.Metadata{document.MetadataRoles: {"staff"}}
)

// restrict has rules of access hold that show everybody everything: what hides are the
// roles of documents.
func (r *rig) restrict() {
	r.Helper()
	file := filepath.Join(r.TempDir(), "access.yaml")
	if err := os.WriteFile(file, []byte("rules:\n  - {groups: [everyone]}\n"), 0o600); err != nil {
		r.Fatal(err)
	}
	rules, err := access.Open(file, nil)
	if err != nil {
		r.Fatal(err)
	}
	r.bus.Restrict(rules)
}

// branches is a rig with a document of which staff see the branch of main alone, and of
// which a stage gave up on both branches for a reason that quotes the hidden one.
func branches(t *testing.T) (r *rig, hidden document.Version, sight *access.Sight) {
	r = newRig(t)
	r.restrict()
	hidden = document.Version(r.describe("plan.go@next", "func Layoffs() heron\n\nfunc Garden() heron\n", forBoard).Seq)
	r.settle("plan.go@next")
	r.describe("plan.go@main", "func Garden() heron\n", forStaff)
	return r, hidden, r.bus.Visibility().Sight(contract.Principal{Name: "key:k", Role: contract.RoleAsk, Groups: []string{"staff"}})
}

// giveUp has a stage give up on both branches.
func (r *rig) giveUp(stage contract.Stage) {
	r.Helper()
	doc := document.DocOf("plan.go")
	var covers contract.Covers
	for _, view := range []document.View{"main", "next"} {
		m := r.last(contract.StreamFiles, contract.FileSubject("s", doc, view))
		covers = covers.With(view, contract.Cover{Version: document.Version(m.Seq), Hash: document.Hash(m.Header.Get(contract.HeaderHash))})
	}
	head := contract.DeadHead{Path: "plan.go", Kind: contract.FailureRefused, Reason: "cannot take Layoffs", Attempts: 7, Time: time.Now(), Covers: covers}
	subject := contract.DeadSubject(stage, "s", doc, contract.BuildOf(generation))
	seq := r.publish(bus.Out{Subject: subject, Header: head.Header(), Body: []byte(`{}`), Expect: seqOf(r.last(contract.StreamDead, subject))})
	if err := r.bus.Dead().Wait(r.Context(), seq); err != nil {
		r.Fatal(err)
	}
}

func (r *rig) explained(sight *access.Sight) (contract.Explanation, string) {
	r.Helper()
	e, done := r.svc.turn()
	defer done()
	x := &explanation{service: e, in: contract.ExplainQuery{Source: "s", Path: "plan.go"}, sight: sight}
	if err := x.run(r.Context()); err != nil {
		r.Fatal(err)
	}
	js, err := json.Marshal(x.Explanation)
	if err != nil {
		r.Fatal(err)
	}
	return x.Explanation, string(js)
}

// A passage of the seen branch was born in a hidden one.
func TestBranchIsHidden_ExplanationTellsNothingOfIt(t *testing.T) {
	r, hidden, sight := branches(t)
	r.settle("plan.go@main")
	x, js := r.explained(sight)
	if len(x.Chunks) != 1 {
		t.Fatalf("their branch is explained as %s", js)
	}
	for _, mark := range []string{"Layoffs", `"view":"next"`, fmt.Sprint(hidden)} {
		if strings.Contains(js, mark) {
			t.Errorf("%s is told: %s", mark, js)
		}
	}
	for _, st := range x.Stages {
		if h := x.Versions[0]; st.Chunks != 0 || !st.Since.Equal(h.Time) {
			t.Errorf("%s tells %d passages since %v of both branches, and their version is of %v", st.Stage, st.Chunks, st.Since, h.Time)
		}
	}
}

// Who sees everything is told who sees what, and nobody else is.
func TestExplanationUnderRules_TellsOwnersWhoSeesTheDocument(t *testing.T) {
	r, _, sight := branches(t)
	owners, _ := r.explained(nil)
	want := []contract.GroupSight{
		{View: "main", Group: contract.Everyone, Rules: []int{0}, Hidden: contract.HiddenByRoles},
		{View: "main", Group: "staff", Sees: true, Rules: []int{0}},
		{View: "next", Group: "board", Sees: true, Rules: []int{0}},
		{View: "next", Group: contract.Everyone, Rules: []int{0}, Hidden: contract.HiddenByRoles},
	}
	if !owners.Restricted || !reflect.DeepEqual(owners.Seen, want) {
		t.Errorf("owners are told %+v, want %+v", owners.Seen, want)
	}
	if x, js := r.explained(sight); x.Restricted || x.Seen != nil {
		t.Errorf("who sees a part is told of others: %s", js)
	}
}

// A stage gave up on both branches, for one reason.
func TestFailureOfAHiddenBranch_IsToldWithoutItsReason(t *testing.T) {
	r, _, sight := branches(t)
	r.giveUp(contract.StageChunker)
	x, js := r.explained(sight)
	if x.Verdict != contract.VerdictFailed || len(x.Failed) != 1 || x.Failed[0].Reason != gaveUp {
		t.Errorf("explained as %s", js)
	}
	if strings.Contains(js, "Layoffs") || strings.Contains(js, "7 tries") {
		t.Errorf("the reason is told: %s", js)
	}
	e, done := r.svc.turn()
	defer done()
	status, err := state{e}.statusSeen(t.Context(), sight)
	if err != nil {
		t.Fatal(err)
	}
	if len(status.Failed) != 1 || status.Failed[0].Reason != gaveUp {
		t.Errorf("status tells %+v", status.Failed)
	}
}

// CHUNKS has the passages of an earlier version that was hidden.
func TestEarlierVersionIsHidden_StatusDoesNotCountItsPassages(t *testing.T) {
	r, _, sight := branches(t)
	r.describe("plan.go@next", "func Park() heron\n", forStaff)
	e, done := r.svc.turn()
	defer done()
	status, err := state{e}.statusSeen(t.Context(), sight)
	if err != nil {
		t.Fatal(err)
	}
	if status.Documents != 2 || status.Chunks != 0 {
		t.Errorf("%d documents and %d passages are counted", status.Documents, status.Chunks)
	}
}

// A list of files is of the seen branch, and CHUNKS and the letter are of both.
func TestBranchIsHidden_ListOfFilesTellsNothingOfIt(t *testing.T) {
	r, _, sight := branches(t)
	r.cut("plan.go@main")
	r.giveUp(contract.StageLexical)
	e, done := r.svc.turn()
	defer done()
	q := e.asks(t.Context(), e.reachFiles)
	q.sight = sight
	q.arrived = time.Now()
	if err := e.index.Reach(t.Context(), 0); err != nil { // the letter
		t.Fatal(err)
	}
	var list []contract.FileEntry
	sum, err := aboutMany{q}.files(t.Context(), contract.FilesRequest{}, func(p contract.FilesPart) error {
		list = append(list, p.Files...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 || list[0].View != "main" || list[0].Passages != 0 || sum.Passages != 0 || list[0].State != contract.FileDead || list[0].Reason != gaveUp {
		t.Errorf("listed %+v, %+v", list, sum)
	}
}

// cutUnder cuts a document into passages of which an earlier or hidden text alone says
// under which heading they stand.
func (r *rig) cutUnder(name, heading string) {
	r.Helper()
	r.cut(name)
	source, path, _ := at(name)
	m := r.last(contract.StreamChunks, contract.ChunksSubject(generation, source, document.DocOf(path)))
	var body contract.ChunksBody
	blob := r.split(m, &body)
	for _, c := range body.Contents {
		for i := range c.Chunks {
			span := &c.Chunks[i].Span
			span.Kind, span.Symbol, span.Names = document.KindSection, heading, []string{heading + "List"}
			span.Headings, span.Context = []string{heading}, heading
		}
	}
	joined, err := contract.JoinBody(m.Header, body, blob)
	if err != nil {
		r.Fatal(err)
	}
	seq := r.publish(bus.Out{Subject: m.Subject, Header: m.Header, Body: joined, Expect: m.Seq})
	if err := r.bus.Outputs(contract.StreamChunks).Wait(r.Context(), seq); err != nil {
		r.Fatal(err)
	}
	r.index(name, document.Lexical)
	r.index(name, document.Vector)
}

// searchAs searches with a sight.
func (r *rig) searchAs(sight *access.Sight, in contract.SearchRequest) contract.SearchReply {
	r.Helper()
	e, done := r.svc.turn()
	defer done()
	q := newSearch(r.Context(), e)
	q.arrived, q.sight, q.lease.sight = time.Now(), sight, sight
	if err := q.run(r.Context(), in); err != nil {
		r.Fatal(err)
	}
	q.reply.Degraded = q.degraded
	return q.reply
}

// The newest version, which staff see, is not cut yet. It has a text of the earlier one,
// which was hidden from them and says of it what the newest does not.
func TestEarlierVersionIsHidden_PendingHitTellsOnlyWhatTheSeenOneSays(t *testing.T) {
	r, _, sight := branches(t)
	const still = "waders stand in the pond\n"
	r.describe("memo.go", "salaries\n\n"+still, forBoard)
	r.cutUnder("memo.go", "Layoffs")
	r.describe("memo.go", "flowers\n\n"+still, forStaff)
	hit := func(in contract.SearchRequest) (found []contract.Hit) {
		in.Text = contract.TextFull
		for _, h := range r.searchAs(sight, in).Hits {
			if h.Path == "memo.go" {
				found = append(found, h)
			}
		}
		return found
	}
	for name, off := range map[string][]string{"lines": {"vector"}, "passage": {"pending"}} {
		all := hit(contract.SearchRequest{Query: "waders pond", Off: off})
		if len(all) != 1 || !strings.Contains(all[0].Text, "waders") || !all[0].Pending {
			t.Fatalf("%s: found %+v", name, all)
		}
		js, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if h := &all[0]; strings.Contains(string(js), "Layoffs") || h.Kind != document.KindBlock || len(h.Headings)+len(h.Names) > 0 {
			t.Errorf("%s: the earlier version is told: %s", name, js)
		}
	}
	if all := hit(contract.SearchRequest{Query: "Layoffs", Off: []string{"vector"}}); len(all) > 0 {
		t.Errorf("its heading finds %+v", all)
	}
	if all := hit(contract.SearchRequest{Query: "waders", Filter: contract.Filter{Kinds: []string{document.KindSection}}}); len(all) > 0 {
		t.Errorf("its kind finds %+v", all)
	}
	if all := r.searchAs(nil, contract.SearchRequest{Query: "waders", Off: []string{"pending"}}).Hits; len(all) == 0 || all[0].Symbol != "Layoffs" {
		t.Errorf("who sees everything is told %+v", all)
	}
}

// What the stores still have of a hidden version is a candidate of a search that is
// explained.
func TestEarlierVersionIsHidden_ExplainedSearchNamesNoPassageOfIt(t *testing.T) {
	r, _, sight := branches(t)
	r.describe("memo.go", "salaries of waders\n", forBoard)
	r.settle("memo.go")
	r.describe("memo.go", "flowers\n", forStaff)
	e, done := r.svc.turn()
	defer done()
	x := &explanation{service: e, in: contract.ExplainQuery{Source: "s", Path: "memo.go"}, sight: sight}
	in := contract.SearchRequest{Query: "salaries"}
	x.in.Search = &in
	if err := x.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range x.Explanation.Search.Passages {
		t.Errorf("%+v is told", p)
	}
}

// A passage that is asked about calls what an earlier, hidden version says that it defines.
func TestEarlierVersionIsHidden_RelatesNothingByItsNames(t *testing.T) {
	r, _, sight := branches(t)
	const still = "waders stand in the pond\n"
	r.describe("memo.go", "salaries\n\n"+still, forBoard)
	r.cutUnder("memo.go", "Severance")
	r.describe("memo.go", "flowers\n\n"+still, forStaff)
	r.describe("keep.go", "func Keeper() { Severance() }\n", forStaff)
	r.settle("keep.go")
	e, done := r.svc.turn()
	defer done()
	for name, by := range map[string]*access.Sight{"everything": nil, "a part": sight} {
		q := newSearch(t.Context(), e)
		q.arrived, q.sight = time.Now(), by
		reply, err := q.related(t.Context(), contract.RelatedRequest{Source: "s", Path: "keep.go", Line: 1})
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(reply.Related, func(one contract.Related) bool { return one.Passage.Symbol == "Severance" })
		if told != (by == nil) {
			t.Errorf("to who sees %s is told %+v", name, reply.Related)
		}
	}
}

// A branch of which a principal sees nothing has commits: one of the branch alone, and one
// that begins as one of the branch that they see does.
func TestCommitOfAHiddenBranch_IsOneThatNobodyKnows(t *testing.T) {
	r, _, sight := branches(t)
	r.settle("plan.go@main")
	r.marked("s:@main", sha("aa11"))
	r.marked("s:@next", sha("aa11ff"), sha("bb22"))
	ask := func(by *access.Sight, commit string) string {
		reply := r.searchAs(by, contract.SearchRequest{Query: "garden", Commit: commit, DeadlineMS: 300})
		if len(reply.Hits) == 0 {
			t.Errorf("%s: nothing is found", commit)
		}
		return strings.ReplaceAll(strings.Join(reply.Degraded, "; "), commit, "COMMIT")
	}
	nobody := ask(sight, "dd44")
	if !strings.Contains(nobody, "s at aa1100000000;") && !strings.Contains(nobody, "newest of s at aa1100000000; is") {
		t.Errorf("a commit that nobody knows: %s", nobody)
	}
	for _, commit := range []string{"bb22", sha("bb22"), "aa11ff"} {
		if told := ask(sight, commit); told != nobody {
			t.Errorf("%s: %q, and of one that nobody knows %q", commit, told, nobody)
		}
		if told := ask(nil, commit); told != "" {
			t.Errorf("%s, to who sees everything: %s", commit, told)
		}
	}
	if told := ask(sight, "aa11"); told != "" {
		t.Errorf("a commit of their own branch: %s", told)
	}
}

// keptByStaff is a rig with a question that staff keep, and what is told of it.
func keptByStaff(t *testing.T) (r *rig, l *listener, id string) {
	r, _, _ = branches(t)
	file := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(file, []byte("members: {staff: [ask]}\nrules:\n  - {groups: [everyone]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rules, err := access.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.bus.Restrict(rules)
	l = r.listen()
	inbox, err := r.bus.Conn().SubscribeSync(contract.InboxOf("ask") + ".kept")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.bus.Conn().PublishRequest(contract.SubjectWatchAdd, inbox.Subject, []byte(`{"question": {"query": "`+askHerons+`", "min_relevance": 0.1}}`)); err != nil {
		t.Fatal(err)
	}
	m, err := inbox.NextMsgWithContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var kept contract.Watched
	if err := json.Unmarshal(m.Data, &kept); err != nil || kept.ID == "" {
		t.Fatalf("%s: %v", m.Data, err)
	}
	return r, l, kept.ID
}

// A version that is hidden takes the place of the one that is held, before the log is
// asked what it shows.
func TestHiddenVersionOvertakesTheNews_NothingOfItIsTold(t *testing.T) {
	r, l, id := keptByStaff(t)
	r.describe("ponds/countHerons.go", fowl("north"), forStaff)
	r.settle("ponds/countHerons.go")
	first := l.next()
	if first.ID != id || first.Hit.Path != "ponds/countHerons.go" {
		t.Fatalf("%+v", first)
	}
	k := bus.FileKey{Source: "s", Doc: document.DocOf("ponds/countHerons.go"), View: document.Worktree}
	seen, _ := r.bus.Files().Get(k)
	hidden := r.describe("ponds/countHerons.go", other+"\n"+fowl("north"), forBoard)
	e, slow := r.overtaken(hidden)
	found := candidate.Found{ID: first.Hit.ID, Generation: generation, Attrs: store.Attrs{Source: "s", Doc: k.Doc, Path: seen.Path}}
	h, err := slow.show(t.Context(), e, slow.asked[0], &seen, []candidate.Candidate{{Found: found}})
	if err != nil || h != nil {
		t.Errorf("the hidden version is told: %+v, %v", h, err)
	}
}

// What was in a version that was hidden is as new to who sees the next one as the rest of
// that: what is told does not say what was there before.
func TestHiddenDocumentComesIntoSight_AllOfItIsNews(t *testing.T) {
	r, l, _ := keptByStaff(t)
	for _, path := range []string{"same/countHerons.go", "ponds/countHerons.go"} {
		r.describe(path, fowl("north"), forBoard)
		r.settle(path)
	}
	r.describe("marsh/countHerons.go", fowl("east"), forStaff)
	r.settle("marsh/countHerons.go")
	if h := l.next(); h.Hit.Path != "marsh/countHerons.go" {
		t.Fatalf("a hidden version is told: %+v", h)
	}
	for path, text := range map[string]string{
		"same/countHerons.go": fowl("north"), "ponds/countHerons.go": fowl("north") + "\n" + fowl("south"), "marsh/countHerons.go": fowl("east") + "\n" + fowl("west"),
	} {
		r.describe(path, text, forStaff)
		r.settle(path)
	}
	r.describe("last/countHerons.go", fowl("last"), forStaff)
	r.settle("last/countHerons.go")
	more := map[document.Path]int{}
	for h := l.next(); h.Hit.Path != "last/countHerons.go"; h = l.next() {
		more[h.Hit.Path] = h.More
	}
	if want := map[document.Path]int{"same/countHerons.go": 0, "ponds/countHerons.go": 1, "marsh/countHerons.go": 0}; !maps.Equal(more, want) {
		t.Errorf("told with so many more: %v, want %v", more, want)
	}
}
