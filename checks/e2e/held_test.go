package e2e

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// heldBuild is the build that a status says is not begun.
func (r *rig) heldBuild() contract.NextBuild {
	r.t.Helper()
	st := r.status()
	if st.Next == nil || st.Next.Held == nil {
		r.t.Fatalf("nothing is held: %+v", st.Next)
	}
	sentence := "build: held: " + st.Next.Held.Why
	if !slices.Contains(st.Degraded, sentence) || !slices.Contains(document.ActionsAbout(sentence, st.Actions), document.Action{Do: document.DoBuildAccept, Value: string(st.Next.Build.ID())}) {
		r.t.Errorf("degraded are %q, and can be done %v", st.Degraded, st.Actions)
	}
	return *st.Next
}

// accept has the build begun that is held.
func (r *rig) accept(id contract.BuildID) contract.BuildAccepted {
	r.t.Helper()
	return ask[contract.BuildAccept, contract.BuildAccepted](r.t, r.bus, contract.SubjectBuildAccept, contract.BuildAccept{Build: id})
}

// limited allows n documents to be built anew, in passages of so many times the
// size.
func limited(n, times int) func(*freshet.Options) {
	return func(o *freshet.Options) {
		o.Config.Limits.Files = n
		o.Config.Chunker.Target *= times
	}
}

// A change of settings that means more than the limits is not begun before
// somebody accepts it. Meanwhile what was complete answers and follows every
// change; and another change is accepted anew.
func TestRebuildAboveTheLimits_WaitsToBeAccepted(t *testing.T) {
	t.Parallel()
	const n = 20
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	r := up(t, data, dir)
	old := *r.status().Serving
	r.stop()

	r = upWith(t, data, limited(n-1, 2), dir)
	next := r.heldBuild()
	for next.Held.Passages == 0 { // the estimate is made beside
		next = r.heldBuild()
	}
	if len(r.ready.Degraded) == 0 || next.Held.Documents != n || next.Held.Disk == 0 || next.Held.Tokens == 0 || next.Held.CostNote == "" {
		t.Errorf("%+v is held, and degraded are %q", next.Held, r.ready.Degraded)
	}
	asked := askEdit(r, dir, n)
	for range 3 * n {
		asked.round()
	}
	st := r.status()
	if st.Serving.ID() != old.ID() || st.Next == nil || st.Next.Pending != n {
		t.Errorf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	for g := range r.generationsOf() {
		if strings.HasSuffix(g, "-"+string(next.Build.ID())) {
			t.Errorf("the log has outputs or consumers of %s, which is held", g)
		}
	}
	if _, err := client.AcceptBuild.Ask(t.Context(), r.bus.Conn(), contract.BuildAccept{Build: "another"}); document.KindOf(err) != document.Conflict {
		t.Errorf("a build that is not held is accepted: %v", err)
	}
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("while it is held %+v differ", differences)
	}
	if got := r.accept(next.Build.ID()); got.Build != next.Build.ID() || len(got.Changes) != 1 {
		t.Errorf("accepted is %+v", got)
	}
	for r.status().Next != nil {
		asked.round()
	}
	asked.rounds(n)
	asked.end()
	if got := r.accept(""); got.Build != "" {
		t.Errorf("%+v is accepted, and nothing was held", got)
	}
	r.left(next.Build.ID())
	r.equal()
	r.stop()
	storesEqualLog(t, data)

	// What was accepted is built, and says nothing of the way back.
	r = upWith(t, data, limited(n-1, 1), dir)
	if back := r.heldBuild(); back.Build.ID() != old.ID() {
		t.Errorf("%+v is held", back.Build)
	}
	r.shows("latest", "Zebra11x", "animals/f11.go")
}

// What was accepted goes on after a kill, and nothing else: who goes back
// meanwhile is asked again.
func TestKillOfAHeldOrAcceptedBuild_ChangesNothing(t *testing.T) {
	t.Parallel()
	const n = 120
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	args := []string{dir, "--data", data, "--nats-port", "0"}
	start(t, nil, args...).stop()
	env := []string{"FRESHET_CHUNKER_TARGET=" + size(2), "FRESHET_LIMITS_FILES=" + strconv.Itoa(n/2)}
	edited := func(r *rig, i int) {
		file := filepath.Join(dir, "f"+strconv.Itoa(i)+".go")
		write(t, file, goFile("Giraffe"+strconv.Itoa(i)+"y"))
		r.shows(r.look(file).String(), "Giraffe"+strconv.Itoa(i)+"y", "animals/f"+strconv.Itoa(i)+".go")
		r.shows("latest", "Zebra"+strconv.Itoa(i)+"x", "")
	}
	var id contract.BuildID
	for i := range 2 { // while it is held
		p := start(t, env, args...)
		r := attach(t, p.url, data)
		id = r.heldBuild().Build.ID()
		edited(r, i)
		p.kill()
	}
	for i := range 3 { // and from when it was accepted
		p := start(t, env, args...)
		r := attach(t, p.url, data)
		st := r.status()
		switch held := st.Next != nil && st.Next.Held != nil; {
		case i == 0 && !held, i > 0 && held:
			t.Fatalf("start %d: %+v is built", i, st.Next)
		case i == 0:
			r.accept(id)
		}
		edited(r, 10+i)
		p.kill()
	}
	p := start(t, env, args...)
	r := attach(t, p.url, data)
	r.replaced()
	if now := r.status().Serving; now.ID() != id {
		t.Errorf("%+v serves", now)
	}
	for i := range n {
		if word := "Zebra" + strconv.Itoa(i) + "x"; i > 1 && (i < 10 || i > 12) {
			r.shows("latest", word, "animals/f"+strconv.Itoa(i)+".go")
		}
	}
	r.left(id)
	r.equal()
	p.stop()
	storesEqualLog(t, data)
}

// Accepting is of one change: another one waits, and so does the same one after
// somebody has gone back.
func TestAcceptedBuild_IsAcceptedForOneChangeAlone(t *testing.T) {
	t.Parallel()
	const n = 6
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	r := up(t, data, dir)
	old := *r.status().Serving
	r.stop()
	model := newGated(t) // so that nothing is ever complete
	with := func(times int) {
		r = upWith(t, data, func(o *freshet.Options) {
			limited(n-1, times)(o)
			o.Embedders = open.Alike(model)
		}, dir)
	}
	with(2)
	r.accept(r.heldBuild().Build.ID())
	for st := r.status(); st.Next.Held != nil; st = r.status() { // which is what is waited for
	}
	r.stop()
	with(2)
	if st := r.status(); st.Next == nil || st.Next.Held != nil {
		t.Errorf("what was accepted is held: %+v", st.Next)
	}
	r.stop()
	with(1) // the model alone
	r.heldBuild()
	r.stop()
	r = upWith(t, data, limited(n-1, 1), dir)
	if st := r.status(); st.Next != nil || st.Serving.ID() != old.ID() {
		t.Errorf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	r.left(old.ID())
	r.stop()
	with(2)
	r.heldBuild()
	r.shows("latest", "Zebra3x", "animals/f3.go")
}

// A run that ends by itself neither waits nor begins.
func TestRunThatEndsByItself_BuildsNothingAboveTheLimits(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, 4)
	up(t, data, dir).stop()
	cfg := config.Default()
	cfg.Data, cfg.Sources = data, []config.Source{{Root: dir}}
	o := freshet.Options{Config: cfg, Once: true}
	limited(3, 2)(&o)
	err := freshet.Up(t.Context(), o)
	if document.KindOf(err) != document.TooLarge || !slices.ContainsFunc(document.ActionsOf(err), func(a document.Action) bool { return a.Do == document.DoBuildAccept }) {
		t.Errorf("%v", err)
	}
	r := upWith(t, data, limited(3, 1), dir)
	r.counts("chunker", "documents", 0) // nothing was touched
	r.shows("latest", "Zebra1x", "animals/f1.go")
}

// Where what was complete cannot be made any more, nothing would answer while a
// build is held: so it is begun, and that is said.
func TestNothingWouldAnswerWhileABuildIsHeld_ItIsBegun(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, 4)
	model := newGated(t)
	close(model.open)
	upWith(t, data, func(o *freshet.Options) { o.Embedders = open.Alike(model) }, dir).stop()
	said := make(chan freshet.Change, 1)
	r := upWith(t, data, func(o *freshet.Options) {
		limited(3, 1)(o)
		o.Rebuilding = func(c freshet.Change) { said <- c }
	}, dir)
	if c := <-said; c.Meanwhile || c.Held != "" || !strings.Contains(c.Above, "above the limit of 3 documents") {
		t.Errorf("%+v is said", c)
	}
	if st := r.status(); st.Next != nil || st.Serving.Embedder == model.Identity() {
		t.Errorf("%+v serves, and %+v is built", st.Serving, st.Next)
	}
	r.shows("latest", "Zebra1x", "animals/f1.go")
	r.equal()
}
