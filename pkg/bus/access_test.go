package bus_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// guarded is a server with a secret, and a message in its log.
type guarded struct {
	t      *testing.T
	srv    *embedded.Server
	bus    *bus.Bus
	secret bus.Secret
	remote func(user string) bus.Remote
}

func newGuarded(t *testing.T) *guarded {
	g := &guarded{t: t, secret: bus.NewSecret()}
	g.srv, g.bus = bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.AnyPort, Secret: g.secret})
	put(t, g.bus, "a.go", "x", 0)
	g.remote = func(user string) bus.Remote { return g.secret.Login(bus.Remote{URL: g.srv.ClientURL()}, user) }
	return g
}

// newShipped is the server of docker-compose.yml, with a log that the watcher
// has made.
func newShipped(t *testing.T) *guarded {
	g := &guarded{t: t, remote: bustest.Shipped(t)}
	var err error
	if g.bus, err = g.remote("watcher").Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.bus.Close)
	if err := bus.EnsureStreams(t.Context(), g.bus); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestRoleUnderTheShippedConfiguration_MayDoItsOwnAlone(t *testing.T) {
	g := newShipped(t)
	for _, user := range []string{"", "nobody"} {
		r := g.remote("ask")
		r.User, r.Password = user, "x"
		if nc, err := r.Dial(); document.KindOf(err) != document.Unauthorized {
			nc.Close()
			t.Errorf("%q is let in: %v", user, err)
		}
	}
	tryEverything(t, g)
}

// client is a connection of a user that notes what the server refuses.
type client struct {
	t       *testing.T
	nc      *nats.Conn
	refused chan error
}

func (g *guarded) client(user string) *client {
	g.t.Helper()
	c := &client{t: g.t, refused: make(chan error, 64)}
	var err error
	c.nc, err = g.remote(user).Dial(nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.refused <- err }))
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(c.nc.Close)
	return c
}

// allowed reports whether the server lets something through: it tells a refusal
// before it answers the flush behind it.
func (c *client) allowed(do func() error) bool {
	c.t.Helper()
	if err := do(); err != nil {
		c.t.Fatal(err)
	}
	if err := c.nc.FlushTimeout(10 * time.Second); err != nil {
		c.t.Fatal(err)
	}
	// The client hands an error to its handler on a goroutine of its own; it
	// notes it on the connection before.
	err := c.nc.LastError()
	if err == nil {
		return true
	}
	if !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
		c.t.Fatal(err)
	}
	<-c.refused
	c.t.Helper()
	return false
}

func (g *guarded) mayPublish(user, subject string) bool {
	c := g.client(user)
	defer c.nc.Close()
	return c.allowed(func() error { return c.nc.Publish(subject, []byte("{}")) })
}

func (g *guarded) mayListen(user, subject string) bool {
	c := g.client(user)
	defer c.nc.Close()
	return c.allowed(func() error {
		_, err := c.nc.QueueSubscribe(subject, "q", func(*nats.Msg) {})
		return err
	})
}

func TestLocalProcessWithoutTheSecret_IsRefused(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	works(t, g.remote(bus.UserServices))
	for name, r := range map[string]bus.Remote{
		"nobody":           {URL: g.srv.ClientURL()},
		"no password":      {URL: g.srv.ClientURL(), User: "admin"},
		"wrong password":   {URL: g.srv.ClientURL(), User: "admin", Password: "admin"},
		"the secret alone": {URL: g.srv.ClientURL(), User: "admin", Password: g.secret.Reveal()},
		"another's":        {URL: g.srv.ClientURL(), User: "admin", Password: g.secret.Password("ask")},
		"another secret":   bus.NewSecret().Login(bus.Remote{URL: g.srv.ClientURL()}, bus.UserServices),
	} {
		if nc, err := r.Dial(); document.KindOf(err) != document.Unauthorized {
			if nc != nil {
				nc.Close()
			}
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := g.srv.Restart(); err != nil {
		t.Fatal(err)
	}
	if _, err := (bus.Remote{URL: g.srv.ClientURL()}).Dial(); document.KindOf(err) != document.Unauthorized {
		t.Errorf("after a restart: %v", err)
	}
}

// Every role tries every subject of the table, and what only services do.
func TestRoleThatDoesWhatIsNotItsOwn_IsRefused(t *testing.T) {
	t.Parallel()
	tryEverything(t, newGuarded(t))
}

func tryEverything(t *testing.T, g *guarded) {
	t.Helper()
	for _, role := range contract.Roles {
		user, own := string(role), contract.InboxOf(string(role))+"."
		for _, e := range contract.Endpoints {
			subject := strings.TrimSuffix(e.Subject, ">") + strings.Repeat("INFO", strings.Count(e.Subject, ">"))
			if got, want := g.mayPublish(user, subject), role.Includes(e.Role); got != want {
				t.Errorf("%s publishes on %s: %v; in deploy/compose/nats.conf its list says so, such as ASKS", role, subject, got)
			}
			if g.mayListen(user, e.Subject) {
				t.Errorf("%s answers on %s", role, e.Subject)
			}
		}
		for _, f := range contract.Feeds {
			if got, want := g.mayListen(user, f.Subject), role.Includes(f.Role); got != want {
				t.Errorf("%s listens to %s: %v", role, f.Subject, got)
			}
			if g.mayPublish(user, strings.ReplaceAll(f.Subject, "*", "x")) {
				t.Errorf("%s publishes on %s", role, f.Subject)
			}
		}
		forbidden := []string{
			contract.SubjectRepair, contract.SubjectUnread, contract.SubjectReport, contract.NudgeSubject(contract.StageChunker), "freshet.alive.x", "freshet.none",
			"$JS.API.STREAM.DELETE.FILES", "$JS.API.STREAM.PURGE.FILES", "$JS.API.STREAM.MSG.GET.FILES", "$JS.API.DIRECT.GET.FILES",
			"$JS.API.CONSUMER.DELETE.FILES.chunker", "$JS.API.CONSUMER.CREATE.FILES.x", "$JS.API.CONSUMER.MSG.NEXT.FILES.chunker", "$JS.ACK.FILES.chunker.1.1.1.1.1",
			"$KV." + contract.BucketSources + ".x", "$O." + contract.BucketBodies + ".M.x", "$SYS.REQ.SERVER.PING",
			contract.FileSubject("s", "d", "v"), "freshet.chunks.a.b.c", "freshet.vectors.a.b.c", "freshet.indexed.a.b.c.d", "freshet.dead.a.b.c.d", "freshet.feedback.events.a",
			"_INBOX.x", "_INBOX.services.x",
		}
		for _, other := range contract.Roles {
			if other != role {
				forbidden = append(forbidden, contract.InboxOf(string(other))+".x")
			}
		}
		for _, subject := range forbidden {
			if g.mayPublish(user, subject) {
				t.Errorf("%s publishes on %s", role, subject)
			}
		}
		for _, subject := range append(forbidden, ">", "_INBOX.>", "_INBOX.*.>", "freshet.>", "freshet.files.*.*.*", "$JS.>", "$KV.>", "*", "*.>") {
			if g.mayListen(user, subject) {
				t.Errorf("%s listens to %s", role, subject)
			}
		}
		if !g.mayListen(user, own+">") || g.mayPublish(user, own+"x") {
			t.Errorf("%s does not have its own inbox, or answers there", role)
		}
		if !g.mayPublish(user, contract.CancelSubject("x")) || g.mayListen(user, contract.CancelSubject("*")) {
			t.Errorf("%s cannot say that it has left, or hears who else has", role)
		}
	}
}

// A request names the subject of its answer. One of the log's would have a
// service write there with its own rights.
func TestAnswerAskedForOnASubjectOfTheLog_IsNeverWrittenThere(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	svc, err := rpc.NewService(g.bus, "test", "test", "1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Stop() })
	asked := make(chan struct{}, 10)
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "search", Subject: contract.SubjectSearch}, func(context.Context, struct{}) (struct{}, error) {
		asked <- struct{}{}
		return struct{}{}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := g.bus.LastSeq(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	c := g.client("ask")
	for _, reply := range []string{contract.FileSubject("s", "d", "v"), "$JS.API.STREAM.PURGE.FILES", "$KV." + contract.BucketMeta + ".epochs"} {
		if err := c.nc.PublishRequest(contract.SubjectSearch, reply, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	// One that is answered, behind them.
	if _, err := rpc.Call[struct{}, struct{}](t.Context(), c.nc, contract.SubjectSearch, struct{}{}); err != nil {
		t.Fatal(err)
	}
	<-asked
	if len(asked) > 0 {
		t.Errorf("%d requests were taken up whose answer nobody waits for", len(asked))
	}
	if err := g.bus.Conn().FlushTimeout(10 * time.Second); err != nil {
		t.Fatal(err)
	}
	after, err := g.bus.LastSeq(t.Context(), contract.StreamFiles)
	s, serr := g.bus.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil || serr != nil || after != before || s.CachedInfo().State.Msgs != 1 {
		t.Errorf("FILES went from %d to %d, %v", before, after, err)
	}
}

// Each login is for the URL alone, too: other programs have nothing else.
func TestURLWithALogin_IsEnough(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, role := range contract.Roles {
		r := bus.Remote{URL: g.remote(string(role)).WithLogin()}
		if r.Inbox() != contract.InboxOf(string(role)) || !r.HasLogin() {
			t.Errorf("%s has the inbox %s", role, r.Inbox())
		}
		nc, err := r.Dial()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(nc.NewRespInbox(), contract.InboxOf(string(role))+".") {
			t.Errorf("%s is answered on %s", role, nc.NewRespInbox())
		}
		nc.Close()
	}
}

func TestWeakSecretFile_IsRefusedByName(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret")
	for text, kind := range map[string]document.ErrorKind{"": document.InvalidRequest, "short\n": document.InvalidRequest, strings.Repeat(" ", 40): document.InvalidRequest} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := bus.ReadSecret(file); document.KindOf(err) != kind || !strings.Contains(err.Error(), file) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := bus.ReadSecret(file + "x"); document.KindOf(err) != document.NotFound {
		t.Error(err)
	}
	s := bus.NewSecret()
	if text, err := json.Marshal(map[string]string{"s": s.String()}); err != nil || strings.Contains(string(text), s.Reveal()) {
		t.Errorf("a secret prints as %s, %v", text, err)
	}
	var all []string
	for _, user := range []string{"ask", "announce", "write", "admin", bus.UserServices} {
		all = append(all, s.Password(user))
	}
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Error("two users have one password")
	}
}
