//go:build servers

package processes

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

const (
	// reembedded are the passages, and the least; FRESHET_REEMBED says another number.
	reembedded = 400
	// sections are the passages of one document.
	sections = 20
)

// ibis is the word of a version of a document.
func ibis(doc int, version string) string { return fmt.Sprintf("ibis%d%sx", doc, version) }

// chapters is a document of many passages, of which the first one has its word.
func chapters(doc int, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# About %s\n\n", ibis(doc, version))
	for n := range sections {
		fmt.Fprintf(&b, "## Part %d\n\n", n)
		for line := range 12 {
			fmt.Fprintf(&b, "In reed %d of pond %d stands bird %d, which looks at the water for a long time and then flies away. ", line, doc, n)
		}
		b.WriteString("\n\n")
	}
	return b.String()
}

// reembedding is a deployment under questions and edits.
type reembedding struct {
	*deployment
	documents int

	mu       sync.Mutex
	took     []time.Duration // of each question
	degraded map[string]int  // answers, by why they lacked something
	edits    int
	failures []string
}

func (r *reembedding) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// ask asks until stop is closed: what nobody edits, by its word and by vectors alone.
func (r *reembedding) ask(stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		doc := n % (r.documents / 2)
		req := contract.SearchRequest{Query: ibis(doc, "first"), Text: contract.TextFull, DeadlineMS: 60_000}
		if n%2 == 1 {
			req = contract.SearchRequest{Query: "which bird looks at the water of a pond", Off: []string{"lexical"}, DeadlineMS: 60_000}
		}
		before := time.Now()
		rep, err := client.Search.Ask(r.t.Context(), r.bus.Conn(), req)
		r.mu.Lock()
		r.took = append(r.took, time.Since(before))
		if len(rep.Degraded) > 0 {
			r.degraded[strings.Join(rep.Degraded, "; ")]++
		}
		r.mu.Unlock()
		path := name(doc)
		switch {
		case err != nil:
			r.fail("%q: %v", req.Query, err)
		case len(rep.Hits) == 0:
			r.fail("%q: no hit; pending %d, degraded %q", req.Query, len(rep.Pending), rep.Degraded)
		case n%2 == 0 && !slices.ContainsFunc(rep.Hits, func(h contract.Hit) bool { return string(h.Path) == path && strings.Contains(h.Text, req.Query) }):
			var instead []string
			for _, h := range rep.Hits {
				instead = append(instead, fmt.Sprintf("%s:%d by %v", h.Path, h.StartLine, h.Channels))
			}
			r.fail("%q is not found in %s after %s; pending %+v, degraded %q; found is %s; trace %+v", req.Query, path, time.Since(before), rep.Pending, rep.Degraded, strings.Join(instead, ", "), rep.Trace)
		}
	}
}

// edit edits until stop is closed. Each edit shows with its token, or is listed.
func (r *reembedding) edit(stop <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		doc, version := r.documents/2+n%(r.documents/2), "v"+strconv.Itoa(n)
		r.write(name(doc), chapters(doc, version))
		told, err := client.Announce.Ask(r.t.Context(), r.bus.Conn(), contract.Announce{Paths: []string{r.root}})
		if err != nil {
			continue // the watcher has been killed
		}
		ask := func() (contract.SearchReply, error) {
			return client.Search.Ask(r.t.Context(), r.bus.Conn(), contract.SearchRequest{Query: ibis(doc, version), Token: told.Token.String(), Text: contract.TextFull, DeadlineMS: 60_000})
		}
		rep, err := ask()
		if document.KindOf(err) == document.Unavailable && strings.Contains(err.Error(), "is stopping") {
			// It waits for its token longer than a service that is told to end may, since
			// what makes the token true was killed: it is told to ask again, and does.
			rep, err = ask()
		}
		switch {
		case err != nil:
			r.fail("%s: %v", ibis(doc, version), err)
		case !slices.ContainsFunc(rep.Hits, func(h contract.Hit) bool { return strings.Contains(h.Text, ibis(doc, version)) }) &&
			!slices.ContainsFunc(rep.Pending, func(p contract.PendingPath) bool { return string(p.Path) == name(doc) }):
			r.fail("%s is neither found nor pending", ibis(doc, version))
		}
		r.mu.Lock()
		r.edits++
		r.mu.Unlock()
		select {
		case <-stop:
			return
		case <-time.After(500 * time.Millisecond): // the pace of people
		}
	}
}

// end has processes end as they should.
func (d *deployment) end(old []*process) {
	d.t.Helper()
	d.mu.Lock()
	d.processes = slices.DeleteFunc(slices.Clone(d.processes), func(p *process) bool { return slices.Contains(old, p) })
	d.mu.Unlock()
	for _, p := range old {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
	}
	for _, p := range old {
		<-p.ended
		if code := p.cmd.ProcessState.ExitCode(); code != 0 {
			d.t.Errorf("the %s ended with %d:\n%s", p.name, code, tail(p.output.String()))
		}
	}
}

// of are the running processes of services.
func (d *deployment) of(names ...string) (out []*process) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.processes {
		if slices.Contains(names, p.name) {
			out = append(out, p)
		}
	}
	return out
}

// answering waits until so many query services answer.
func (d *deployment) answering(want int) {
	d.t.Helper()
	for {
		d.alive()
		inbox := d.bus.Conn().NewInbox()
		sub, err := d.bus.Conn().SubscribeSync(inbox)
		if err != nil {
			d.t.Fatal(err)
		}
		if err := d.bus.Conn().PublishRequest("$SRV.PING.freshet", inbox, nil); err != nil {
			d.t.Fatal(err)
		}
		got := 0
		for ; got < want; got++ {
			if _, err := sub.NextMsg(time.Second); err != nil {
				break
			}
		}
		_ = sub.Unsubscribe()
		if got == want {
			return
		}
	}
}

// Another model comes into a deployment whose processes are killed while people ask and
// edit: chunkers, embedders, indexers, and the watcher, which has the roles of one. No
// answer fails or is empty, both stores have what the log asks for, and nothing of the
// former model is left on the servers.
func TestAnotherModelUnderKills_NoAnswerFailsOrIsEmpty(t *testing.T) {
	passages := reembedded
	if text := os.Getenv("FRESHET_REEMBED"); text != "" {
		var err error
		if passages, err = strconv.Atoi(text); err != nil || passages < reembedded {
			t.Fatalf("FRESHET_REEMBED is %q, no number of %d or more", text, reembedded)
		}
	}
	rng := rand.New(rand.NewPCG(20261126, 17))
	r := &reembedding{deployment: prepare(t, servers.ElasticURL(t), servers.WeaviateURL(t)), documents: passages / sections, degraded: map[string]int{}}
	for doc := range r.documents {
		r.write(name(doc), chapters(doc, "first"))
	}
	r.start("watcher", 1)
	for _, of := range services[1:] {
		r.start(of, 2)
	}
	filled := r.settle()
	first := *r.status().Serving
	old, before := r.of(services[1:]...), r.onServers()

	stop := make(chan struct{})
	var load sync.WaitGroup
	for range 2 {
		load.Go(func() { r.ask(stop) })
	}
	load.Go(func() { r.edit(stop) })

	begun := time.Now()
	text, err := os.ReadFile(r.config)
	if err != nil {
		t.Fatal(err)
	}
	r.config += ".new.yaml"
	if err := os.WriteFile(r.config, fmt.Appendf(text, "embedder: {model: %s}\n", embedtest.Folder(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, of := range services[1:] {
		r.start(of, 2)
	}
	r.answering(4)
	killed := map[string]int{}
	kills := func() {
		for _, of := range services[:4] {
			rest(t.Context(), time.Duration(300+rng.IntN(2500))*time.Millisecond) // the moment of the kill is the test
			victims := r.of(of)
			r.killOne(victims[len(victims)-1-rng.IntN(min(2, len(victims)))])
			killed[of]++
		}
	}
	kills()
	r.end(old)
	for {
		s := r.status()
		if s.Serving.ID() != first.ID() && s.Next == nil {
			break
		}
		kills()
	}
	took := time.Since(begun)
	rest(t.Context(), time.Second)
	close(stop)
	load.Wait()
	for _, f := range r.failures {
		t.Error(f)
	}
	r.settle()
	now := *r.status().Serving
	if now.Embedder == first.Embedder {
		t.Errorf("%s makes the vectors still", now.Embedder)
	}
	r.stores = r.opened(now)
	for r.left(now, before) {
		r.pause()
	}
	equal := r.equal()
	lacked := 0
	for why, n := range r.degraded {
		lacked += n
		t.Logf("%d answers: %s", n, why)
	}
	slices.Sort(r.took)
	at := func(share float64) time.Duration {
		return r.took[int(share*float64(len(r.took)-1))].Round(time.Millisecond)
	}
	t.Logf("\n  passages        %7d  in both stores\n  first filled in %s\n  another model   %s, with questions, edits and kills\n  kills           %v\n  questions       %7d  failed or empty %d, without a channel %d\n  p50, p99, most  %s %s %s\n  edits           %7d",
		equal, filled.Round(time.Second), took.Round(time.Second), killed, len(r.took), len(r.failures), lacked, at(.5), at(.99), at(1), r.edits)
}

// left reports whether the log has anything of another build than now, or the servers any
// name that they had before it.
func (d *deployment) left(now contract.Build, before []string) bool {
	d.t.Helper()
	others, err := bus.GenerationsOf(d.bus).Others(d.t.Context(), now.Generations())
	if err != nil {
		d.t.Fatal(err)
	}
	names := d.onServers()
	return len(others) > 0 || slices.ContainsFunc(before, func(name string) bool { return slices.Contains(names, name) })
}
