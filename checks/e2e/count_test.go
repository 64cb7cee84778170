//go:build prove

package e2e

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/checks/counted"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// asCounted makes the test binary the whole program, with an embedder that runs
// in the process of the test; it holds the embedder's socket.
const asCounted = "FRESHET_E2E_EMBEDDER"

func init() {
	forms[asCounted] = func(socket string, args []string) int { return counting(socket, args[0]) }
}

// counting runs everything with a configuration file until it is told to stop.
func counting(socket, file string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := func() error {
		cfg, err := config.Load(file)
		if err != nil {
			return err
		}
		model, err := counted.Dial(socket)
		if err != nil {
			return err
		}
		return freshet.Up(ctx, freshet.Options{Config: cfg, Embedders: open.Alike(model), Ready: func(r freshet.Running) { fmt.Println("ready", r.URL) }})
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// killsWanted is how often a process is killed: FRESHET_KILLS, else a few times.
func killsWanted(t *testing.T) int {
	t.Helper()
	text := os.Getenv("FRESHET_KILLS")
	if text == "" {
		return 6
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("FRESHET_KILLS is %q: write how often a process is killed", text)
	}
	return n
}

const (
	// countedDocuments are indexed while they are edited, at the pace of several
	// people in a hurry.
	countedDocuments = 600
	editPace         = 15 * time.Millisecond
	// countedBatches are what the embedder has in flight at most: a batch of its
	// one worker and one of nudged documents. All documents are of one
	// collection.
	countedBatches = 2
)

// The whole program is killed at seeded moments while it indexes and while files
// are edited. The embedder survives, so that it can count: no text is written
// twice, so each that was embedded twice was embedded in vain once. That may
// have happened to what was in flight at a kill, and to nothing else.
func TestKilledProgram_EmbedsAgainOnlyWhatWasInFlight(t *testing.T) {
	t.Parallel()
	kills := killsWanted(t)
	rng := rand.New(rand.NewPCG(vultureConfig(t).Seed, 50))
	root, data := folder(t, "prey"), t.TempDir()
	model, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "fe") // the path of a socket has to be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket, file := filepath.Join(dir, "s"), filepath.Join(dir, "freshet.yaml")
	embedder, err := counted.Serve(socket, model)
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	// Snapshots are taken all the time, so that kills also hit stores that lack
	// only what came last.
	write(t, file, fmt.Sprintf("data: %q\nnats: {port: %s}\nindexer: {snapshot: 1s}\nwatcher: {rescan: 24h}\nsources: [{root: %q}]\n", data, port, root))
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begin := func() (*program, io.Reader) {
		cmd := exec.Command(self, file)
		cmd.Env = append(os.Environ(), asCounted+"="+socket)
		return launchCommand(t, cmd)
	}

	tree, err := counted.NewTree(root, countedDocuments, rng.Uint64())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var edits int
	var editing errgroup.Group
	editing.Go(func() (err error) {
		edits, err = tree.Edit(ctx, editPace)
		return err
	})
	inFlight := 0
	for i := range kills {
		p, _ := begin()
		if i%4 > 0 { // else while it starts, perhaps
			listens(t, net.JoinHostPort("127.0.0.1", port))
		}
		if i%4 == 3 { // else while it embeds, perhaps: a busy machine takes longer than that to begin
			select {
			case <-embedder.First(counted.Process(p.cmd.Process.Pid)):
			case <-t.Context().Done():
				t.Fatal("it embeds nothing")
			}
		}
		time.Sleep(time.Duration(100+rng.IntN(2000)) * time.Millisecond) // the moment of the kill is the test
		p.kill()
		inFlight += embedder.InFlight(counted.Process(p.cmd.Process.Pid), countedBatches)
	}
	cancel()
	if err := editing.Wait(); err != nil {
		t.Fatal(err)
	}
	p, out := begin()
	p.ready(out)
	url := "nats://" + net.JoinHostPort("127.0.0.1", port)
	r := attach(t, url, data)
	r.look(root)
	for st := r.status(); !st.Ready; st = r.status() {
		time.Sleep(50 * time.Millisecond) // nobody announces it
	}
	if failed := r.status().Failed; len(failed) > 0 {
		t.Errorf("given up: %+v", failed)
	}
	swept := ask[struct{}, contract.SweepReply](t, r.bus, contract.SubjectSweep, struct{}{})
	r.equal()
	lost := 0
	for path, word := range tree.Words() {
		if got := found(r.find(word, "latest"), word); len(got) != 1 || got[0] != "prey/"+path {
			t.Errorf("%q is found in %v, want %s", word, got, path)
			lost++
		}
	}
	r.bus.Close()
	p.stop()
	equal := storesEqualLog(t, data)
	texts, again := embedder.Embedded()
	t.Logf("\n  kills of the whole process   %7d\n  documents                    %7d\n  edits                        %7d\n  passages embedded            %7d\n"+
		"  embedded again               %7d  of %d in flight at most\n  swept, restored at the end   %7d, %d of %d\n  ids in both stores           %7d\n  lost                         %7d",
		kills, countedDocuments, edits, texts, again, inFlight, swept.Removed, swept.Restored, swept.Compared, equal, lost)
	if again > inFlight {
		t.Errorf("%d passages were embedded again, at most %d were in flight", again, inFlight)
	}
	if inFlight == 0 {
		t.Error("no kill hit anything in flight: the test shows nothing")
	}
	if swept.Restored > 0 {
		t.Errorf("%d listed passages were missing in a store", swept.Restored)
	}
	if err := embedder.Close(); err != nil {
		t.Error(err)
	}
}

// listens waits until somebody listens at an address.
func listens(t *testing.T, address string) {
	t.Helper()
	for t.Context().Err() == nil {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(5 * time.Millisecond) // nobody announces it
	}
	t.Fatal("nobody listens at " + address)
}
