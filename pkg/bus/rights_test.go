package bus_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// shippedServices are the users of the services, as nats.conf has them.
func shippedServices() string {
	var b strings.Builder
	for _, r := range contract.ServiceRights {
		fmt.Fprintf(&b, "    { user: %s, password: $NATS_%s_PASSWORD\n      permissions: {\n", r.Service, strings.ToUpper(r.Service))
		for _, list := range []struct {
			name     string
			subjects []string
		}{{"publish", r.Publishes()}, {"subscribe", r.Listens()}} {
			fmt.Fprintf(&b, "        %s: [", list.name)
			at := 120
			for _, s := range list.subjects {
				if at += len(s) + 4; at > 118 {
					b.WriteString("\n         ")
					at = 9 + len(s) + 4
				}
				fmt.Fprintf(&b, " %q,", s)
			}
			b.WriteString("\n        ]\n")
		}
		b.WriteString("      } }\n")
	}
	return b.String()
}

func TestShippedConfiguration_IsTheTableOfRights(t *testing.T) {
	const file, begin, end = "../../deploy/compose/nats.conf", "    # The services.\n", "    # Everybody else.\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	block, tail, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no line %q, or none %q", file, begin, end)
	}
	if block == shippedServices() {
		return
	}
	if os.Getenv("FRESHET_WRITE_NATS_CONF") == "" {
		t.Fatalf("%s does not have the rights of pkg/contract/rights.go: run this test with FRESHET_WRITE_NATS_CONF=1", file)
	}
	if err := os.WriteFile(file, []byte(head+begin+shippedServices()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// refusedTo tries what a user may not do, all over one connection, and returns the
// subjects that the server refused it.
func refusedTo(t *testing.T, r bus.Remote, subjects []string, try func(nc *nats.Conn, subject string) error) map[string]bool {
	t.Helper()
	const last = "nobody.may" // refused after all others
	out, done := map[string]bool{}, make(chan struct{})
	named := regexp.MustCompile(`"([^"]+)"`)
	nc, err := r.Dial(nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		m := named.FindStringSubmatch(err.Error())
		switch {
		case m == nil:
			t.Errorf("%s: %v", r.User, err)
		case m[1] == last:
			close(done)
		default:
			out[m[1]] = true
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for _, s := range append(slices.Clone(subjects), last) {
		if err := try(nc, s); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-done:
	case <-t.Context().Done():
		t.Fatalf("%s: not everything was answered", r.User)
	}
	return out
}

func publishes(nc *nats.Conn, subject string) error { return nc.Publish(subject, []byte("{}")) }

func listens(nc *nats.Conn, subject string) error {
	_, err := nc.QueueSubscribe(subject, "q", func(*nats.Msg) {})
	return err
}

// mayPublish says who may publish on a subject, written down once more by hand.
func mayPublish() map[string][]string {
	all := map[string][]string{
		"freshet.files.s.d.v": {"watcher"}, "freshet.chunks.g.s.d": {"chunker"}, "freshet.vectors.g.s.d": {"embedder"}, "freshet.indexed.g.lexical.s.d": {"indexer"},
		"freshet.dead.chunker.s.d.b": {"chunker", "query"}, "freshet.dead.embedder.s.d.b": {"embedder", "query"},
		"freshet.dead.indexer-lexical.s.d.b": {"indexer", "query"}, "freshet.dead.indexer-vector.s.d.b": {"indexer", "query"},
		"freshet.feedback.events.a": {"query"}, "freshet.changes.s.v": {"watcher"},

		"$KV.freshet_sources.s": {"watcher"}, "$KV.freshet_meta.epochs": {"watcher"}, "$KV.freshet_meta.purge": {"watcher", "indexer"}, "$KV.freshet_meta.purge.3": {"watcher", "indexer"}, "$KV.freshet_meta.verify": {"indexer"}, "$KV.freshet_meta.losses": {"query", "watcher"},
		"$KV.freshet_meta.role.watcher": {"watcher"}, "$KV.freshet_meta.role.collector": {"watcher"}, "$KV.freshet_meta.role.purger": {"indexer"}, "$KV.freshet_meta.role.reclaimer": {"indexer"}, "$KV.freshet_meta.superseded.code-1": {"indexer"},
		"$KV.freshet_meta.serving": {"query"}, "$KV.freshet_meta.build.1": {"query"}, "$KV.freshet_meta.role.switch": {"query"}, "$KV.freshet_meta.role.keeper.g.lexical": {"indexer"},
		"$KV.freshet_stores.g.lexical": {"indexer"}, "$KV.freshet_models.reranker": {"query"}, "$KV.freshet_models.ranking": {"query"}, "$KV.freshet_evaluations.s.1": {"evaluator"}, "$KV.freshet_evaluations.RUN.1": {"evaluator"},
		"$KV.freshet_suspects.chunker.w.1": {"chunker"}, "$KV.freshet_suspects.embedder.w.1": {"embedder"}, "$KV.freshet_suspects.indexer-vector.w.1": {"indexer"},
		"$O.freshet_bodies.M.x": {"watcher", "chunker", "embedder", "indexer"},

		"$JS.ACK.FILES.c.1.1.1.1.1": {"chunker"}, "$JS.ACK.CHUNKS.c.1.1.1.1.1": {"embedder", "indexer"}, "$JS.ACK.VECTORS.c.1.1.1.1.1": {"indexer"},
		"$JS.ACK.INDEXED.c.1.1.1.1.1": nil, "$JS.ACK.DEAD.c.1.1.1.1.1": {"chunker", "embedder", "indexer"},
		"$JS.API.STREAM.NAMES": nil, "$JS.API.STREAM.LIST": nil, "$JS.API.STREAM.CREATE.OTHER": nil, "$SYS.REQ.SERVER.PING": nil,

		"freshet.nudge.chunker": {"watcher", "indexer"}, "freshet.nudge.embedder": {"chunker", "indexer"}, "freshet.nudge.indexer-lexical": {"chunker"}, "freshet.nudge.indexer-vector": {"embedder"},
		"freshet.repair": {"watcher", "indexer", "query"}, "freshet.unread": {"chunker", "embedder", "indexer", "query"}, "freshet.report": {"query", "indexer"}, "freshet.embed": {"query", "gateway"}, "freshet.sources.list": {"indexer", "query", "evaluator", "gateway"}, "freshet.files.verify": {"indexer", "query", "gateway"},
		"freshet.index.sweep": {"watcher", "gateway"}, "freshet.index.erase": {"watcher", "gateway"}, "freshet.log.erase": {"watcher", "gateway"}, "freshet.sources.remove": {"gateway"}, "freshet.files.put": {"gateway"}, "freshet.query.search": {"evaluator", "gateway"}, "freshet.golden.put": {"gateway"},
		"freshet.alive.x": {"watcher", "indexer", "query"},

		"_INBOX.watcher.x": {"watcher", "indexer", "query"}, "_INBOX.chunker.x": nil, "_INBOX.embedder.x": nil, "_INBOX.indexer.x": {"watcher", "chunker", "embedder", "indexer", "query"}, // who takes builds away asks all
		"_INBOX.query.x": {"watcher", "chunker", "embedder", "indexer", "query"}, // the status asks all
		"_INBOX.ask.x":   {"watcher", "embedder", "query", "evaluator"}, "_INBOX.announce.x": {"watcher"}, "_INBOX.x": nil,
		"_INBOX.gateway.x": {"watcher", "embedder", "indexer", "query", "evaluator"}, "_INBOX.evaluator.x": {"watcher", "query"},
	}
	everybody := []string{"watcher", "chunker", "embedder", "indexer", "query"}
	read := map[string][]string{
		"FILES": everybody, "CHUNKS": everybody, "VECTORS": {"watcher", "embedder", "indexer", "query"}, "INDEXED": {"watcher", "indexer", "query"}, "DEAD": everybody,
		"FEEDBACK": {"watcher", "query"}, "AUDIT": {"watcher", "query"}, "KV_freshet_sources": {"watcher"}, "KV_freshet_meta": everybody, "KV_freshet_models": {"watcher", "query"}, "KV_freshet_evaluations": {"watcher", "evaluator"},
		"KV_freshet_stores": {"watcher", "indexer", "query"}, "KV_freshet_suspects": {"watcher", "chunker", "embedder", "indexer"}, "OBJ_freshet_bodies": everybody,
	}
	removed := map[string][]string{
		"FILES": {"watcher", "indexer"}, "CHUNKS": {"watcher", "chunker", "indexer"}, "VECTORS": {"watcher", "embedder", "indexer"},
		"INDEXED": {"watcher", "indexer"}, "DEAD": {"watcher", "indexer"}, "FEEDBACK": {"watcher"}, "AUDIT": {"watcher"},
	}
	purged := map[string][]string{"CHUNKS": {"indexer"}, "VECTORS": {"indexer"}, "INDEXED": {"indexer"}, "KV_freshet_meta": {"indexer"}, "KV_freshet_stores": {"indexer"},
		"DEAD": {"watcher", "indexer"}, "FEEDBACK": {"query"}, "KV_freshet_sources": {"watcher"}, "KV_freshet_evaluations": {"watcher", "evaluator"}, "OBJ_freshet_bodies": {"watcher"}}
	for stream, who := range read {
		for _, api := range []string{"STREAM.INFO.", "STREAM.MSG.GET.", "DIRECT.GET."} {
			all["$JS.API."+api+stream] = who
		}
		all["$JS.API.CONSUMER.CREATE."+stream+".c"] = who
		all["$JS.API.STREAM.MSG.DELETE."+stream] = removed[stream]
		all["$JS.API.STREAM.PURGE."+stream] = purged[stream]
		all["$JS.API.STREAM.CREATE."+stream], all["$JS.API.STREAM.UPDATE."+stream] = []string{"watcher"}, []string{"watcher"}
		nobody := []string{"STREAM.DELETE." + stream, "STREAM.RESTORE." + stream, "STREAM.SNAPSHOT." + stream, "STREAM.LEADER.STEPDOWN." + stream, "CONSUMER.LIST." + stream, "CONSUMER.PAUSE." + stream + ".c", "CONSUMER.LEADER.STEPDOWN." + stream + ".c"}
		all["$JS.API.CONSUMER.NAMES."+stream] = nil
		if slices.Contains(contract.Streams, stream) {
			all["$JS.API.CONSUMER.NAMES."+stream], all["$JS.API.CONSUMER.DELETE."+stream+".c"] = []string{"indexer"}, []string{"indexer"}
		} else if !strings.Contains(stream, "_") {
			nobody = append(nobody, "CONSUMER.DELETE."+stream+".c")
		}
		for _, api := range nobody {
			all["$JS.API."+api] = nil
		}
	}
	return all
}

// mayHear says who may listen to a subject.
func mayHear() map[string][]string {
	all := map[string][]string{
		"freshet.report": {"watcher", "chunker", "embedder", "indexer", "query"}, "freshet.repair": {"indexer"}, "freshet.unread": {"indexer"}, "freshet.alive.*": {"watcher", "indexer", "query"}, "freshet.cancel.*": {"watcher", "embedder", "indexer", "query", "evaluator"},
		"freshet.nudge.chunker": {"chunker"}, "freshet.nudge.embedder": {"embedder"}, "freshet.nudge.indexer-lexical": {"indexer"}, "freshet.nudge.indexer-vector": {"indexer"},
		"freshet.embed": {"embedder"}, "freshet.verify": {"indexer"}, "freshet.index.sweep": {"indexer"}, "freshet.index.erase": {"indexer"}, "freshet.log.erase": nil, "freshet.build.reload": nil, "freshet.changes.*.*": {"gateway"},
	}
	for _, e := range contract.Endpoints {
		switch _, known := all[e.Subject]; {
		case known, strings.HasPrefix(e.Subject, "$SRV"):
		case strings.HasPrefix(e.Subject, "freshet.files."), strings.HasPrefix(e.Subject, "freshet.sources."):
			all[e.Subject] = []string{"watcher"}
		case strings.HasPrefix(e.Subject, "freshet.golden."), strings.HasPrefix(e.Subject, "freshet.evaluation."):
			all[e.Subject] = []string{"evaluator"}
		default:
			all[e.Subject] = []string{"query"}
		}
	}
	for _, s := range []string{">", "*", "*.>", "_INBOX.>", "_INBOX.*.>", "_INBOX.ask.>", "_INBOX.admin.>", "_INBOX.services.>", "freshet.>", "freshet.*.*", "freshet.files.*.*.*", "$JS.>", "$JS.API.>", "$KV.>", "$O.>", "$SRV.>", "$SYS.>"} {
		all[s] = nil
	}
	for _, r := range contract.ServiceRights {
		all["_INBOX."+r.Service+".>"] = []string{r.Service}
	}
	return all
}

// Every service tries everything, and what is not its own is refused.
func TestServiceThatDoesWhatIsNotItsOwn_IsRefused(t *testing.T) {
	g := newShipped(t)
	put(t, g.bus, "a.go", "x", 0)
	for _, r := range contract.ServiceRights {
		for _, kind := range []struct {
			name string
			acts map[string][]string
			try  func(*nats.Conn, string) error
		}{{"publish on", mayPublish(), publishes}, {"listen to", mayHear(), listens}} {
			var own, others []string
			for subject, who := range kind.acts {
				if slices.Contains(who, r.Service) {
					own = append(own, subject)
				} else {
					others = append(others, subject)
				}
			}
			no := refusedTo(t, g.remote(r.Service), others, kind.try)
			for _, s := range others {
				if !no[s] {
					t.Errorf("the %s may %s %s", r.Service, kind.name, s)
				}
			}
			// Its own by the table alone: to purge is one of them.
			granted := r.Publishes()
			if kind.name != "publish on" {
				granted = r.Listens()
			}
			for _, s := range own {
				if !slices.ContainsFunc(granted, func(p string) bool { return matches(p, s) }) {
					t.Errorf("the %s may not %s %s", r.Service, kind.name, s)
				}
			}
		}
	}
	s, err := g.bus.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil || s.CachedInfo().State.Msgs != 1 {
		t.Errorf("the log is not as it was: %v", err)
	}
}

// matches reports whether a permission covers a subject.
func matches(permission, subject string) bool {
	p, s := strings.Split(permission, "."), strings.Split(subject, ".")
	for i, token := range p {
		if token == ">" {
			return len(s) > i
		}
		if i >= len(s) || token != "*" && token != s[i] {
			return false
		}
	}
	return len(p) == len(s)
}

// What a service without the right asks of the log itself is refused, too, and
// who waits for a log does not make one.
func TestServiceThatWaitsForTheLog_DoesNotMakeIt(t *testing.T) {
	remote := bustest.Shipped(t)
	connect := func(user string) *bus.Bus {
		b, err := remote(user).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	maker, waiter := connect("watcher"), connect("chunker")
	if err := bus.AwaitStreams(t.Context(), waiter); document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "start the watcher") {
		t.Errorf("there is no log, and the chunker says %v", err)
	}
	if err := bus.EnsureStreams(t.Context(), maker); err != nil {
		t.Fatal(err)
	}
	if err := bus.AwaitStreams(t.Context(), waiter); err != nil {
		t.Errorf("the chunker does not find the log: %v", err)
	}
	if err := waiter.Files().Ready(t.Context()); err != nil {
		t.Errorf("the chunker does not read the log: %v", err)
	}
}
