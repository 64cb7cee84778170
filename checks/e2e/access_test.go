package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// A subject that a service answers on without a role would be refused to
// everybody, and one in the table without a service is answered by nobody.
func TestEveryEndpoint_HasARole(t *testing.T) {
	t.Parallel()
	r := upWith(t, t.TempDir(), new(file).editable, folder(t, "library"))
	served := map[string]bool{}
	nc := r.bus.Conn()
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		t.Fatal(err)
	}
	for services := map[string]bool{}; len(services) < 8; {
		// The verifier and the configuration serve a moment after the others.
		m, err := sub.NextMsg(100 * time.Millisecond)
		if errors.Is(err, nats.ErrTimeout) {
			err = nc.PublishRequest("$SRV.INFO", sub.Subject, nil)
			if err == nil {
				continue
			}
		}
		if err != nil {
			t.Fatalf("%v, after %v", err, services)
		}
		var info micro.Info
		if err := json.Unmarshal(m.Data, &info); err != nil {
			t.Fatal(err)
		}
		services[info.Name] = true
		for _, e := range info.Endpoints {
			served[e.Subject] = true
		}
	}
	var inTable []string
	for _, e := range contract.Endpoints {
		inTable = append(inTable, e.Subject)
		if !served[e.Subject] && e.Subject != "$SRV.>" {
			t.Errorf("%s is in the table, and nobody answers there", e.Subject)
		}
	}
	for subject := range served {
		// Whose a key is the gateway alone asks.
		if !slices.Contains(inTable, subject) && subject != contract.SubjectKeysWho {
			t.Errorf("%s is answered, and has no role in contract.Endpoints", subject)
		}
	}
}

// What a process of another user finds at the port: nothing without the secret,
// what its role has with a login, and everything where that is asked for.
func TestLocalProcessWithoutTheSecret_ReadsNothing(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	root := folder(t, "library")
	write(t, filepath.Join(root, "heron.md"), "The heron stands in the weir.\n")
	r := up(t, data, root)
	at := bus.HideUser(r.bus.Conn().ConnectedUrl())
	if _, err := (bus.Remote{URL: at}).Dial(); document.KindOf(err) != document.Unauthorized {
		t.Errorf("without a login: %v", err)
	}
	if info, err := os.Stat(filepath.Join(data, "secret")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret has the mode %v, %v", info.Mode(), err)
	}
	remote, err := instance.FindRole(at, data, contract.RoleAsk)
	if err != nil {
		t.Fatal(err)
	}
	refused := make(chan error, 16)
	nc, err := remote.Dial(nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	reply, err := client.Search.Ask(t.Context(), nc, contract.SearchRequest{Query: "heron", Text: contract.TextFull, Token: "latest"})
	if err != nil || len(found(reply, "heron")) != 1 {
		t.Errorf("a question: %v, %v", found(reply, "heron"), err)
	}
	if _, err := nc.Subscribe("_INBOX.>", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	<-refused
	if err := nc.Publish(contract.SubjectSourcesAdd, []byte(`{"root":"/etc"}`)); err != nil {
		t.Fatal(err)
	}
	<-refused
	r.stop()

	// The login holds over a restart.
	r = up(t, data, root)
	if again, err := instance.FindRole("", data, contract.RoleAsk); err != nil || again.Password != remote.Password {
		t.Errorf("another login after a restart: %v", err)
	}
	r.stop()

	// A secret of somebody's own, as containers have it, on every address.
	own := filepath.Join(t.TempDir(), "secret")
	write(t, own, "a secret that somebody has made\n")
	r = upWith(t, data, func(o *freshet.Options) { o.Config.NATS.Host, o.Config.NATS.SecretFile = "0.0.0.0", own }, root)
	if _, err := (bus.Remote{URL: bus.HideUser(r.bus.Conn().ConnectedUrl())}).Dial(); document.KindOf(err) != document.Unauthorized {
		t.Errorf("without a login, on every address: %v", err)
	}
	secret, err := bus.ReadSecret(own)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := instance.FindRole("", data, contract.RoleAsk); err != nil || again.Password != secret.Password("ask") {
		t.Errorf("the login is not of the secret that was given: %v", err)
	}
	r.stop()
	open := upWith(t, data, func(o *freshet.Options) { o.Config.NATS.Open = true }, root)
	nc, err = bus.Remote{URL: bus.HideUser(open.bus.Conn().ConnectedUrl())}.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if _, err := nc.Request(contract.SubjectSourcesList, nil, time.Minute); err != nil {
		t.Error(err)
	}
	if remote, err := instance.FindAsker("", data); err != nil || remote.HasLogin() || !strings.HasPrefix(remote.URL, "nats://") {
		t.Errorf("%v, %v", remote, err)
	}
}
