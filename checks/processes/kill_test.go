//go:build servers

package processes

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/checks/counted"
	"github.com/freshet-dev/freshet/pkg/config"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	service "github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/services/embedder"
)

// asEmbedder makes the test binary the embedder, with a model that runs in the
// process of the test; it holds the model's socket.
const asEmbedder = "FRESHET_TEST_AS_EMBEDDER"

func embedderMain(socket string) int {
	program := service.Program{Name: "embedder", Open: func(e *service.Env) (service.Service, error) {
		model, err := counted.Dial(socket)
		if err != nil {
			return nil, err
		}
		models := embedders.Alike(model)
		return embedder.New(embedder.FromConfig(e.Config, rollout.Configured(e.Config, models.Space)),
			embedder.Deps{Bus: e.Bus, Embedders: models, Log: e.Log, Version: service.Version})
	}}
	return program.Main(os.Args[1:], os.Stdout, os.Stderr)
}

func countedEmbedder(t *testing.T, socket, config string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "--config", config)
	cmd.Env = append(os.Environ(), asEmbedder+"="+socket)
	return cmd
}

// kill ends one process of a service as a power button would, starts another
// one, and returns the id of the dead one.
func (d *deployment) kill(name string, which int) int {
	d.t.Helper()
	d.mu.Lock()
	var of []int
	for i, p := range d.processes {
		if p.name == name {
			of = append(of, i)
		}
	}
	p := d.processes[of[which%len(of)]]
	d.mu.Unlock()
	d.killOne(p)
	return p.cmd.Process.Pid
}

// killOne does the same with a process.
func (d *deployment) killOne(p *process) {
	d.t.Helper()
	d.mu.Lock()
	d.processes = slices.DeleteFunc(slices.Clone(d.processes), func(one *process) bool { return one == p })
	d.mu.Unlock()
	_ = p.cmd.Process.Kill()
	<-p.ended
	d.start(p.name, 1)
}

const (
	killDocuments = 600
	killPace      = 15 * time.Millisecond
	// killBatches are what an embedder has in flight at most: a batch of its one
	// worker and one of nudged documents. All documents are of one collection.
	killBatches = 2
)

// Each service in turn is killed at seeded moments while documents are indexed
// and edited: the only watcher and query service, and one of two of the others.
// The model survives, so that it can count: no text is written twice, so each
// that was embedded twice was embedded in vain once. That may have happened to
// what an embedder had in flight when it was killed, and to nothing else.
func TestKilledService_LosesNothing(t *testing.T) {
	kills := 10
	if text := os.Getenv("FRESHET_KILLS"); text != "" {
		var err error
		if kills, err = strconv.Atoi(text); err != nil {
			t.Fatalf("FRESHET_KILLS is %q, no number", text)
		}
	}
	rng := rand.New(rand.NewPCG(20240917, 51))
	model, err := embedders.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "fe") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	survivor, err := counted.Serve(filepath.Join(dir, "s"), model)
	if err != nil {
		t.Fatal(err)
	}
	d := prepare(t, servers.ElasticURL(t), servers.WeaviateURL(t))
	d.socket = filepath.Join(dir, "s")
	tree, err := counted.NewTree(d.root, killDocuments, rng.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"watcher": 1, "chunker": 2, "embedder": 2, "indexer": 2, "query": 1} {
		d.start(name, n)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var edits int
	var editing errgroup.Group
	editing.Go(func() (err error) {
		edits, err = tree.Edit(ctx, killPace)
		return err
	})
	inFlight, killed := 0, map[string]int{}
	for i := range kills {
		rest(ctx, time.Duration(100+rng.IntN(1400))*time.Millisecond) // the moment of the kill is the test
		name := services[i%len(services)]
		pid := d.kill(name, rng.IntN(2))
		killed[name]++
		if name == "embedder" {
			inFlight += survivor.InFlight(counted.Process(pid), killBatches)
		}
	}
	cancel()
	if err := editing.Wait(); err != nil {
		t.Fatal(err)
	}
	settled := d.settle()
	swept := d.sweep()
	if swept.Restored > 0 {
		t.Errorf("%d listed passages were missing in a store", swept.Restored)
	}
	if again := d.sweep(); again.Removed+again.Restored > 0 {
		t.Errorf("a second sweep removed %d and restored %d", again.Removed, again.Restored)
	}
	equal := d.equal()
	token := d.token()
	for path, word := range tree.Words() {
		d.shows(token, word, path)
	}
	texts, again := survivor.Embedded()
	var each strings.Builder
	for _, name := range services {
		fmt.Fprintf(&each, "    %-10s %7d\n", name, killed[name])
	}
	t.Logf("\n  kills          %7d\n%s  documents      %7d\n  edits          %7d\n  embedded       %7d\n  embedded again %7d  of %d in flight at most\n  swept          %7d  restored %d of %d\n  in both stores %7d\n  whole again    %s after the last edit",
		kills, each.String(), killDocuments, edits, texts, again, inFlight, swept.Removed, swept.Restored, swept.Compared, equal, settled)
	if again > inFlight {
		t.Errorf("%d passages were embedded again, at most %d were in flight", again, inFlight)
	}
	d.stop()
	if err := survivor.Close(); err != nil {
		t.Error(err)
	}
}
