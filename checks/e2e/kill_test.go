package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// freePort returns a port that nobody listens on, so that every incarnation of
// a program can be found in the same place.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// The program is killed at seeded moments: first while it indexes for the
// first time, ready or not, then under the eyes of a vulture.
func TestKilledProgram_LosesNothing(t *testing.T) {
	cfg := vultureConfig(t)
	cfg.Duration /= 2
	rng := rand.New(rand.NewPCG(cfg.Seed, 7))
	root, data := folder(t, "prey"), t.TempDir()
	words := library(t, root, 400)
	// Snapshots are taken all the time, so that kills also hit stores that keep
	// their identity and lack only what came last.
	file := filepath.Join(t.TempDir(), "freshet.yaml")
	write(t, file, "indexer:\n  snapshot: 1s\n")
	port := freePort(t)
	args := []string{"--config", file, "--data", data, "--nats-port", port, root}
	for range 4 {
		p, _ := launch(t, nil, args...)
		time.Sleep(time.Duration(50+rng.IntN(500)) * time.Millisecond) // the moment of the kill is the test
		p.kill()
	}

	p, out := launch(t, nil, args...)
	p.ready(out)
	cfg.Remote.URL, cfg.Source, cfg.Dir, cfg.Interrupted = login(t, data, p.url), "prey", filepath.Join(root, "vulture"), true
	v, err := vulture.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	over := make(chan error, 1)
	go func() { over <- v.Circle(t.Context()) }()
	kills := 0
	for circling := true; circling; {
		select {
		case err := <-over:
			if err != nil {
				t.Fatal(err)
			}
			circling = false
		case <-time.After(time.Duration(200+rng.IntN(2500)) * time.Millisecond):
			p.kill()
			kills++
			p, out = launch(t, nil, args...)
		}
	}
	// Whatever runs now may not be ready yet; it has to become so.
	if kills > 0 {
		p.ready(out)
	}
	if err := v.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	report := v.Report()
	t.Logf("%d kills\n%s", kills, report)
	if kills == 0 {
		t.Error("nothing was killed under the vulture")
	}
	for _, violation := range report.Violations() {
		t.Error(violation)
	}
	r := attach(t, p.url, data)
	for i, word := range words {
		r.shows("latest", word, fmt.Sprintf("prey/shelf%d/%s.go", i%3, word))
	}
	r.bus.Close()
	p.stop()
	storesEqualLog(t, data)
}

// The embedded stores of a killed program lack what came after their last
// snapshot, although the log lists it. Until they have it again, an answer
// with a token must wait or say what is pending.
func TestKilledProgram_AnswersOnceItsStoresAreWhole(t *testing.T) {
	root, data := folder(t, "prey"), t.TempDir()
	words := library(t, root, 600)
	port := freePort(t)
	args := []string{"--data", data, "--nats-port", port, root}
	start(t, nil, args...).kill()

	p, _ := launch(t, nil, args...)
	r := attachWhenUp(t, "nats://127.0.0.1:"+port, data)
	for i := len(words) - 1; i >= 0; i-- {
		for {
			rep, err := client.Search.Ask(t.Context(), r.bus.Conn(), contract.SearchRequest{Query: words[i], Token: "latest", Text: contract.TextFull, DeadlineMS: 60_000, Filter: contract.Filter{Sources: []document.Source{"prey"}}})
			if document.KindOf(err) == document.Unavailable {
				continue // the service is not there yet
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(rep.Pending) == 0 && len(found(rep, words[i])) != 1 {
				t.Fatalf("%q is found in %v and nothing is pending; degraded %v", words[i], found(rep, words[i]), rep.Degraded)
			}
			break
		}
	}
	r.bus.Close()
	p.stop()
	storesEqualLog(t, data)
}

// attachWhenUp waits until something listens on url.
func attachWhenUp(t *testing.T, url, data string) *rig {
	t.Helper()
	for t.Context().Err() == nil {
		secret, err := bus.ReadSecret(filepath.Join(data, "secret"))
		if err != nil {
			continue
		}
		if b, err := (secret.Login(bus.Remote{URL: url}, bus.UserServices)).Connect(t.Context()); err == nil {
			t.Cleanup(b.Close)
			return &rig{t: t, data: data, bus: b}
		}
	}
	t.Fatal("nothing came up")
	return nil
}
