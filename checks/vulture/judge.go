package vulture

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
)

// judge compares answers with the world. It judges an answer when every write
// that was under way at its arrival has been acknowledged, and when the log
// has been followed up to its token, so that everything is known that can
// speak against it.
type judge struct {
	cfg     Config
	world   *world
	bus     *bus.Bus
	grounds []ground
	// atRest is set when nothing interrupts the deployment any more.
	atRest atomic.Bool

	mu     sync.Mutex
	report Report
	waits  durations // for answers to questions with a token
}

func newJudge(cfg Config, w *world, b *bus.Bus, grounds []ground) *judge {
	return &judge{cfg: cfg, world: w, bus: b, grounds: grounds, report: Report{
		Seed: cfg.Seed, Settings: cfg.Settings, Interrupted: cfg.Interrupted, Writes: map[string]int{}, Questions: map[string]int{}, Degraded: map[string]int{},
		Told: map[string]int{}, Counts: map[Kind]int{}}}
}

// run judges answers until there are no more.
func (j *judge) run(ctx context.Context, answers <-chan answer) error {
	for a := range answers {
		if err := j.judge(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// count changes the report under the judge's lock.
func (j *judge) count(fn func(*Report)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fn(&j.report)
}

func (j *judge) add(v Violation) {
	v.Seed, v.History = j.cfg.Seed, j.world.history(spot{v.Source, v.Path})
	j.count(func(r *Report) { r.add(v) })
}

// ours reports whether a document is one of the vulture's.
func (j *judge) ours(source document.Source, path document.Path) bool {
	return slices.ContainsFunc(j.grounds, func(g ground) bool { return g.holds(source, path) })
}

// judge checks one answer. The error is ctx's only.
func (j *judge) judge(ctx context.Context, a answer) error {
	if err := awaitKnown(ctx, j, a); err != nil {
		return err
	}
	j.verdict(a)
	return nil
}

// awaitKnown waits until everything is known that can speak against an answer. The error
// is ctx's only.
func awaitKnown(ctx context.Context, j *judge, a answer) error {
	for _, op := range a.underway {
		select {
		case <-op.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if a.err == nil {
		if err := j.bus.Files().Wait(ctx, a.reply.Token.Seq); err != nil {
			return err
		}
	}
	if a.news != nil {
		if err := j.bus.Files().Wait(ctx, a.news.Token.Seq); err != nil {
			return err
		}
	}
	return nil
}

// verdict judges by what the world holds now.
func (j *judge) verdict(a answer) {
	j.count(func(r *Report) {
		r.Questions[a.kind()]++
		if a.err == nil {
			r.Checked++
		}
	})
	if a.lease != nil {
		defer leaseJudge{j}.leased(a)
	}
	if a.err != nil {
		if a.door == nil || !a.door.refused(j, a) {
			j.failed(a)
		}
		return
	}
	for _, d := range a.reply.Degraded {
		j.count(func(r *Report) { r.Degraded[d]++ })
	}
	switch {
	case a.door != nil:
		a.door.judged(j, a)
		return
	case a.lines != nil:
		j.linesVerdict(a)
		return
	}
	j.freshness(a)
	seen := map[string]bool{}
	for _, h := range a.reply.Hits {
		if !j.ours(h.Source, h.Path) {
			continue
		}
		j.count(func(r *Report) { r.Hits++ })
		key := fmt.Sprintf("%s:%s:%d-%d:%s", h.Source, h.Path, h.StartLine, h.EndLine, h.Text)
		if seen[key] {
			j.add(a.violation(Duplicate, spot{h.Source, h.Path}, "each passage once", describe(h)))
		}
		seen[key] = true
		j.hit(a, h)
		for _, c := range h.Copies {
			j.copied(a, h, c)
		}
	}
	j.missing(a)
	for _, f := range a.reply.Failed {
		if j.ours(f.Source, f.Path) {
			j.add(a.violation(Failure, spot{f.Source, f.Path}, "a document that every stage can handle", string(f.Stage)+": "+f.Reason))
		}
	}
}

// failed counts an error, which is a violation unless it says that an
// interrupted deployment does not answer.
func (j *judge) failed(a answer) {
	j.count(func(r *Report) { r.Errors++ })
	kind := document.KindOf(a.err)
	if j.interrupted() && (kind == document.Unavailable || kind == document.Deadline) {
		return
	}
	if a.class == askInHaste && (kind == document.Deadline || kind == document.Unavailable) {
		return
	}
	if j.cfg.Damaged && kind == document.TokenUnknown {
		return
	}
	j.add(a.violation(Failure, a.at, "an answer", fmt.Sprintf("%s: %v", kind, a.err)))
	if a.lines == nil && a.door == nil {
		j.account(a, false)
	}
}

// interrupted reports whether the deployment may be down at the moment.
func (j *judge) interrupted() bool { return j.cfg.Interrupted && !j.atRest.Load() }

// excused tells that an answer came at its deadline from a deployment that may
// have been down until then. A service answers a little before.
func (j *judge) excused(a answer) bool {
	return j.interrupted() && a.arrived.Sub(a.sent) >= j.cfg.Deadline/2
}

// backwards checks that an answer's token is not older than what the question
// could know of.
func (j *judge) backwards(a answer) {
	if floor := max(a.floor, a.token.Seq); a.reply.Token.Seq < floor {
		j.add(a.violation(Backwards, a.at, fmt.Sprintf("a token of at least %d, which was acknowledged before", floor), a.reply.Token.String()))
	}
}

// freshness checks the answer's token, and that nothing is pending that the
// question's token covers.
func (j *judge) freshness(a answer) {
	j.backwards(a)
	if !a.promised() || a.eager() {
		return
	}
	covered := a.token.Seq
	if a.latest {
		covered = a.floor
	}
	late, allowed := 0, a.allows(j.cfg.Deadline)
	for _, p := range a.reply.Pending {
		if uint64(p.Version) > covered {
			continue // written since
		}
		late++
		if took := a.arrived.Sub(a.sent); took < allowed && !j.excused(a) {
			j.add(a.violation(Late, spot{p.Source, p.Path}, fmt.Sprintf("version %d settled, as the token covers it", p.Version),
				fmt.Sprintf("pending in %v after %s of %s", p.Sinks, took.Round(time.Millisecond), allowed)))
		}
	}
	j.account(a, late == 0)
}

// account counts an answer to a question with a token.
func (j *judge) account(a answer, settled bool) {
	if !a.promised() || a.eager() {
		return
	}
	took := a.arrived.Sub(a.sent)
	j.count(func(r *Report) {
		r.WithToken++
		if a.young {
			r.Young++
		}
		if settled && took <= freshWithin {
			r.Fresh++
		}
		j.waits.add(took)
	})
}

func (a answer) violation(k Kind, at spot, expected, seen string) Violation {
	token := a.token.String()
	if a.latest {
		token = fmt.Sprintf("latest (at least %d)", a.floor)
	}
	asked, with := a.asked(), a.options.String()
	switch {
	case a.door != nil:
		asked, with = a.door.String(), ""
	case a.lines != nil:
		asked, with = a.lines.request.Pattern, a.lines.String()
	}
	return Violation{Kind: k, Source: at.source, Path: at.path, Question: asked, Options: with, Class: a.kind(), Token: token,
		AnswerToken: a.reply.Token.String(), At: a.arrived, Took: a.arrived.Sub(a.sent), Expected: expected, Seen: seen}
}

// result returns the report with everything that is computed at the end.
func (j *judge) result() Report {
	j.world.mu.Lock()
	noticed := j.world.delays.quantiles()
	j.world.mu.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	r := j.report
	r.Wait, r.Noticed = j.waits.quantiles(), noticed
	r.Writes, r.Questions, r.Degraded, r.Told, r.Counts = maps.Clone(r.Writes), maps.Clone(r.Questions), maps.Clone(r.Degraded), maps.Clone(r.Told), maps.Clone(r.Counts)
	r.violations = slices.Clone(r.violations)
	if !r.Interrupted && r.WithToken >= freshAnswers && r.FreshShare() < freshShare {
		r.add(Violation{Kind: Unfresh, Seed: r.Seed, At: time.Now(),
			Expected: fmt.Sprintf("%.1f %% of the answers with a token within %s", 100*freshShare, freshWithin),
			Seen:     fmt.Sprintf("%d of %d, %s", r.Fresh, r.WithToken, r.Wait)})
	}
	return r
}
