package vulture

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// judge compares answers with the world. It judges an answer when every write
// that was under way at its arrival has been acknowledged, and when the log
// has been followed up to its token, so that everything is known that can
// speak against it.
type judge struct {
	cfg    Config
	world  *world
	bus    *bus.Bus
	prefix document.Path
	view   document.View
	// atRest is set when nothing interrupts the deployment any more.
	atRest bool

	mu     sync.Mutex
	report Report
	waits  []time.Duration // for answers to questions with a token
}

func newJudge(cfg Config, w *world, b *bus.Bus) *judge {
	return &judge{cfg: cfg, world: w, bus: b, report: Report{
		Seed: cfg.Seed, Interrupted: cfg.Interrupted, Writes: map[string]int{}, Questions: map[string]int{}, Degraded: map[string]int{}}}
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
	v.Seed = j.cfg.Seed
	j.count(func(r *Report) { r.violations = append(r.violations, v) })
}

// judge checks one answer. The error is ctx's only.
func (j *judge) judge(ctx context.Context, a answer) error {
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
	j.verdict(a)
	return nil
}

// verdict judges by what the world holds now.
func (j *judge) verdict(a answer) {
	j.count(func(r *Report) { r.Questions[string(a.class)]++ })
	if a.err != nil {
		j.failed(a)
		return
	}
	j.freshness(a)
	seen := map[string]bool{}
	for _, h := range a.reply.Hits {
		if h.Source != j.cfg.Source || !strings.HasPrefix(string(h.Path), string(j.prefix)) {
			continue
		}
		j.count(func(r *Report) { r.Hits++ })
		key := fmt.Sprintf("%s:%d-%d:%s", h.Path, h.StartLine, h.EndLine, h.Text)
		if seen[key] {
			j.add(a.violation(Duplicate, h.Path, "each passage once", describe(h)))
		}
		seen[key] = true
		j.hit(a, h)
	}
	j.missing(a)
	for _, f := range a.reply.Failed {
		if f.Source == j.cfg.Source && strings.HasPrefix(string(f.Path), string(j.prefix)) {
			j.add(a.violation(Failure, f.Path, "a document that every stage can handle", string(f.Stage)+": "+f.Reason))
		}
	}
	for _, d := range a.reply.Degraded {
		j.count(func(r *Report) { r.Degraded[d]++ })
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
	j.add(a.violation(Failure, a.path, "an answer", fmt.Sprintf("%s: %v", kind, a.err)))
	j.account(a, false)
}

// interrupted reports whether the deployment may be down at the moment.
func (j *judge) interrupted() bool { return j.cfg.Interrupted && !j.atRest }

// excused tells that an answer came at its deadline from a deployment that may
// have been down until then. A service answers a little before.
func (j *judge) excused(a answer) bool {
	return j.interrupted() && a.arrived.Sub(a.sent) >= j.cfg.deadline()/2
}

// freshness checks the answer's token, and that nothing is pending that the
// question's token covers.
func (j *judge) freshness(a answer) {
	if floor := max(a.floor, a.token.Seq); a.reply.Token.Seq < floor {
		j.add(a.violation(Backwards, a.path, fmt.Sprintf("a token of at least %d, which was acknowledged before", floor), a.reply.Token.String()))
	}
	if !a.promised() {
		return
	}
	covered := a.token.Seq
	if a.latest {
		covered = a.floor
	}
	late := 0
	for _, p := range a.reply.Pending {
		if uint64(p.Version) > covered {
			continue // written since
		}
		late++
		if took := a.arrived.Sub(a.sent); took < j.cfg.deadline() && !j.excused(a) {
			j.add(a.violation(Late, p.Path, fmt.Sprintf("version %d settled, as the token covers it", p.Version),
				fmt.Sprintf("pending in %v after %s of %s", p.Sinks, took.Round(time.Millisecond), j.cfg.deadline())))
		}
	}
	j.account(a, late == 0)
}

// account counts an answer to a question with a token.
func (j *judge) account(a answer, settled bool) {
	if !a.promised() {
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
		j.waits = append(j.waits, took)
	})
}

// hit checks that a passage was possible at the answer's token, by what was
// written and by what the log says.
func (j *judge) hit(a answer, h contract.Hit) {
	contents, absent := j.world.possible(h.Path, a.reply.Token.Seq, a.arrived)
	if len(contents) == 0 {
		j.add(a.violation(Ghost, h.Path, "no hit: the path did not exist", describe(h)))
		return
	}
	best := nowhere
	for _, c := range contents {
		best = max(best, place(c, h))
	}
	switch best {
	case nowhere:
		kind := Stale
		if absent && len(contents) == 1 && len(contents[0]) == 0 {
			kind = Ghost
		}
		j.add(a.violation(kind, h.Path, fmt.Sprintf("a text of one of %d contents that were possible", len(contents)), describe(h)))
		return
	case elsewhere:
		j.add(a.violation(WrongLines, h.Path, "the lines in which the text stands", describe(h)))
		return
	}
	j.logged(a, h)
}

// logged checks a hit against the version that the log held at the answer's
// token. Versions that were replaced before they could be seen are not known.
func (j *judge) logged(a answer, h contract.Hit) {
	if uint64(h.Version) > a.reply.Token.Seq {
		j.add(a.violation(WrongVersion, h.Path, "a version that the answer's token covers", describe(h)))
		return
	}
	v, content, known := j.world.at(h.Path, a.reply.Token.Seq)
	if !known || v.seq < uint64(h.Version) {
		return
	}
	j.count(func(r *Report) { r.Exact++ })
	expected := fmt.Sprintf("a text of version %d (%s), which the log held at the token", v.seq, v.op)
	switch {
	case v.op != contract.OpPut:
		j.add(a.violation(Ghost, h.Path, expected, describe(h)))
	case place(content, h) != inPlace:
		j.add(a.violation(Stale, h.Path, expected, describe(h)))
	case v.seq > uint64(h.Version):
		j.add(a.violation(WrongVersion, h.Path, expected, describe(h)))
	}
}

// missing checks that a question with a token found its word.
func (j *judge) missing(a answer) {
	if a.path == "" || !a.promised() {
		return
	}
	seq := a.token.Seq
	if a.latest {
		seq = a.floor
	}
	contents, absent := j.world.possible(a.path, seq, a.arrived)
	if absent {
		return
	}
	for _, c := range contents {
		if !strings.Contains(string(c), a.word) {
			return
		}
	}
	j.count(func(r *Report) { r.Certain++ })
	for _, h := range a.reply.Hits {
		if h.Path == a.path && h.Source == j.cfg.Source && strings.Contains(h.Text, a.word) {
			return
		}
	}
	if j.excused(a) {
		return
	}
	j.add(a.violation(Missing, a.path, fmt.Sprintf("a hit that holds %q, which stands in each of %d possible contents", a.word, len(contents)), j.seen(a)))
}

// seen says what an answer shows instead of the word that is missing.
func (j *judge) seen(a answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d hits", len(a.reply.Hits))
	for _, h := range a.reply.Hits {
		if h.Path == a.path {
			fmt.Fprintf(&b, "; %s:%d-%d", h.Path, h.StartLine, h.EndLine)
		}
	}
	for _, p := range a.reply.Pending {
		fmt.Fprintf(&b, "; pending %s at %d", p.Path, p.Version)
	}
	if len(a.reply.Degraded) > 0 {
		fmt.Fprintf(&b, "; degraded %v", a.reply.Degraded)
	}
	v, _, _ := j.world.at(a.path, a.reply.Token.Seq)
	fmt.Fprintf(&b, "; the log holds version %d (%s) of the path", v.seq, v.op)
	return b.String()
}

func (a answer) violation(k Kind, path document.Path, expected, seen string) Violation {
	token := a.token.String()
	if a.latest {
		token = fmt.Sprintf("latest (at least %d)", a.floor)
	}
	return Violation{Kind: k, Path: path, Question: a.word, Class: string(a.class), Token: token,
		AnswerToken: a.reply.Token.String(), At: a.arrived, Took: a.arrived.Sub(a.sent), Expected: expected, Seen: seen}
}
