package apart

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	proc "github.com/freshet-dev/freshet/pkg/process"
)

// Another size of passages comes into a deployment one service after the other, the
// old processes being there until the new ones are ready. Answers are made of what
// was complete until the last of them has gone and the new build is.
func TestRollingUpgradeToAnotherBuild_LosesNoAnswer(t *testing.T) {
	t.Parallel()
	m := newTeam(t, someBirds)
	old := m.crew(1500, all...)
	before := *m.ready().Serving
	if m.serves() != before.ID() {
		t.Errorf("%s serves, and no record says so", before.ID())
	}
	end := m.asking(someBirds)
	now := m.crew(700, "chunker", "embedder")
	now.apart[0].says(`changes="(chunker\.target 1500 → 700)"`)
	m.stop(&crew{apart: old.apart})
	next := m.crew(700, "indexer", "query")
	s := m.until("a status of the new query service", func(s contract.StatusReply) bool { return s.Next != nil && s.Next.Pending == 0 })
	if s.Serving.ID() != before.ID() || len(s.Next.Changes) != 1 || !slices.ContainsFunc(s.Degraded, func(d string) bool {
		return strings.Contains(d, "configured otherwise") && strings.Contains(d, "chunker.target 1500, not 700")
	}) {
		t.Errorf("two configurations run, and the status says serving %+v, next %+v, %q", s.Serving, s.Next, s.Degraded)
	}
	m.stop(&crew{within: old.within})
	s = m.until("the new build to serve", func(s contract.StatusReply) bool { return s.Serving.Target == 700 && s.Next == nil })
	end()
	if m.serves() != s.Serving.ID() {
		t.Errorf("%s serves, and the record says %s", s.Serving.ID(), m.serves())
	}
	m.alone(s.Serving.ID())
	for n := range someBirds / 2 {
		m.found("latest", n, "first")
	}
	m.ready()
	m.stop(&crew{apart: now.apart, within: next.within})
}

// All processes end before the first new one starts, as compose has it. What was
// complete answers until the new build is, and follows the files: the new processes
// make it, too. Then somebody goes back, and what was made for the way there goes.
func TestReplacedProcesses_LeaveNoBuildBehind(t *testing.T) {
	t.Parallel()
	m := newTeam(t, someBirds)
	old := m.crew(1500, all...)
	before := *m.ready().Serving
	m.stop(old)

	now := m.crew(700, "chunker", "indexer", "query") // no embedder: it cannot be complete
	patient := m.deadline
	m.deadline = 500 // what is edited stays pending
	end := m.asking(someBirds)
	s := m.until("the new build to be begun", func(s contract.StatusReply) bool { return s.Next != nil })
	if s.Serving.ID() != before.ID() {
		t.Errorf("%+v serves", s.Serving)
	}
	end()
	m.deadline = patient
	m.stop(now)

	// Back, before anything was switched.
	back := m.crew(1500, all...)
	if s := m.ready(); s.Serving.ID() != before.ID() || s.Next != nil {
		t.Errorf("%+v serves, and %+v is built", s.Serving, s.Next)
	}
	m.alone(before.ID())
	m.stop(back)

	// And there again, to the end.
	now = m.crew(700, all...)
	s = m.until("the new build to serve", func(s contract.StatusReply) bool { return s.Serving.Target == 700 && s.Next == nil })
	m.alone(s.Serving.ID())
	m.ready()
	for n := range someBirds / 2 {
		m.found("latest", n, "first")
	}
	m.stop(now)
}

// A process that was not there when another build took the place of its own ends, and
// says why: whoever starts it again has it decide anew.
func TestProcessOfABuildThatWasReplaced_EndsAndSaysWhy(t *testing.T) {
	t.Parallel()
	m := newTeam(t, 2)
	c := m.crew(1500, all...)
	m.ready()
	serving, err := bus.BuildsOf(m.bus).Serving(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := *m.status().Serving
	other.Target = 700
	if err := bus.BuildsOf(m.bus).Note(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.BuildsOf(m.bus).Serve(t.Context(), serving, other.ID()); err != nil {
		t.Fatal(err)
	}
	for _, p := range c.apart {
		<-p.done
		if code := p.cmd.ProcessState.ExitCode(); code != proc.ExitError || !strings.Contains(p.log.String(), "answers are made of the build "+string(other.ID())+" since the "+p.name) || !strings.Contains(p.log.String(), "chunker.target 700 → 1500") {
			t.Errorf("the %s ends with %d: %s", p.name, code, p.log)
		}
	}
	for _, i := range c.within {
		<-i.done
		if document.KindOf(i.err) != document.Conflict {
			t.Errorf("the %s ends with %v", i.name, i.err)
		}
	}
}

// The index is made again by processes that run, and taken back. Whoever asks is
// answered all the time; a chunker and an embedder that are killed meanwhile go on when
// they are started again. Nothing is left of the one that does not answer.
func TestKillWhileProcessesMakeTheIndexAgain_LosesNothing(t *testing.T) {
	t.Parallel()
	m := newTeam(t, someBirds)
	c := m.crew(1500, all...)
	before := *m.ready().Serving
	m.deadline = 5000 // of an edit that the former is asked for when it ends
	ask := func(do string) contract.ReindexReply {
		rep, err := client.Reindex.Ask(t.Context(), m.bus.Conn(), contract.ReindexRequest{Do: do})
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
	end := m.asking(someBirds)
	stop, took := make(chan struct{}), []time.Duration{}
	var strict sync.WaitGroup
	strict.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			began := time.Now()
			kept := n % (someBirds / 2)
			rep, err := client.Search.Ask(t.Context(), m.bus.Conn(), contract.SearchRequest{Query: word(kept, "first"), Text: contract.TextFull, DeadlineMS: m.deadline})
			took = append(took, time.Since(began))
			if err != nil || !slices.ContainsFunc(rep.Hits, func(h contract.Hit) bool { return string(h.Path) == fmt.Sprintf("bird-%d.md", kept) }) {
				t.Errorf("%s: %d hits, %v", word(kept, "first"), len(rep.Hits), err)
			}
		}
	})
	ask(contract.ReindexBegin)
	again := &crew{}
	for _, p := range c.apart {
		p.stop(syscall.SIGKILL, -1)
	}
	again.apart = m.crew(1500, "chunker", "embedder").apart
	s := m.until("the next index to serve", func(s contract.StatusReply) bool { return s.Serving.Again == 1 && s.Next == nil })
	if got := before.Changes(*s.Serving); len(got) != 1 || got[0].Field != contract.FieldAgain {
		t.Errorf("it differs in %+v", got)
	}
	m.alone(s.Serving.ID())
	end()
	close(stop)
	strict.Wait()
	slices.Sort(took)
	t.Logf("%d questions, the slowest of a hundred took %s", len(took), took[len(took)*99/100])
	if told := ask(contract.ReindexTell); told.Next != "" || told.Former != "" || told.Vectors != told.Passages {
		t.Errorf("in the end %+v is told", told)
	}
	for n := range someBirds / 2 {
		m.found("latest", n, "first")
	}
	m.ready()
	m.stop(&crew{apart: again.apart, within: c.within})
}
