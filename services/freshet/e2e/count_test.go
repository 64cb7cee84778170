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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	freshet "github.com/freshet-dev/freshet/services/freshet"
	"github.com/freshet-dev/freshet/services/freshet/internal/counted"
)

// asCounted makes the test binary the whole program, with an embedder that runs
// in the process of the test; it holds the embedder's socket.
const asCounted = "FRESHET_E2E_EMBEDDER"

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
		return freshet.Up(ctx, freshet.Options{Config: cfg, Embedder: model, Ready: func(r freshet.Running) { fmt.Println("ready", r.URL) }})
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
	// countedDocuments of countedParts functions each are indexed while they are
	// edited.
	countedDocuments = 600
	countedParts     = 5
	// countedBatches are what the embedder has in flight at most: a batch of its
	// one worker and one of nudged documents. All documents are of one
	// collection.
	countedBatches = 2
)

// The whole program is killed at seeded moments while it indexes and while files
// are edited. The embedder survives, so that it can count: no text is written
// twice, so each that was embedded twice was embedded in vain once. That may
// have happened to what was in flight at a kill, and to nothing else.
func TestKilledProgramEmbedsMoreThanWhatWasInFlight(t *testing.T) {
	kills := killsWanted(t)
	rng := rand.New(rand.NewPCG(vultureConfig(t).Seed, 50))
	root, data := folder(t, "prey"), t.TempDir()
	model, err := static.New()
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

	tree := newTree(root, rng.Uint64())
	for doc := range countedDocuments {
		if err := tree.write(doc); err != nil {
			t.Fatal(err)
		}
	}
	editing := tree.edit(t)
	inFlight := 0
	for range kills {
		p, _ := begin()
		time.Sleep(time.Duration(100+rng.IntN(2400)) * time.Millisecond) // the moment of the kill is the test
		p.kill()
		inFlight += embedder.InFlight(counted.Process(p.cmd.Process.Pid), countedBatches)
	}
	edits := editing()
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
	lost := 0
	for doc, word := range tree.words {
		if got := found(r.find(word, "latest"), word); len(got) != 1 || got[0] != "prey/"+tree.path(doc) {
			t.Errorf("%q is found in %v, want %s", word, got, tree.path(doc))
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
	if swept.Restored > 0 {
		t.Errorf("%d listed passages were missing in a store", swept.Restored)
	}
	if err := embedder.Close(); err != nil {
		t.Error(err)
	}
}

// tree is a folder of documents none of whose texts is written twice.
type tree struct {
	root  string
	rng   *rand.Rand
	mu    sync.Mutex
	words []string   // the newest of each document
	parts [][]string // words of the functions of each
}

func newTree(root string, seed uint64) *tree {
	tr := &tree{root: root, rng: rand.New(rand.NewPCG(seed, 1)), words: make([]string, countedDocuments), parts: make([][]string, countedDocuments)}
	for doc := range tr.parts {
		for range countedParts {
			tr.parts[doc] = append(tr.parts[doc], tr.word())
		}
		tr.words[doc] = tr.parts[doc][0]
	}
	return tr
}

func (tr *tree) path(doc int) string { return fmt.Sprintf("part%02d/doc%03d.go", doc%17, doc) }

func (tr *tree) word() string {
	b := []byte("Word")
	for range 14 {
		b = append(b, 'a'+byte(tr.rng.IntN(26)))
	}
	return string(b)
}

// write writes a document as it is meant to be.
func (tr *tree) write(doc int) error {
	var b strings.Builder
	b.WriteString("package part\n")
	for _, word := range tr.parts[doc] {
		fmt.Fprintf(&b, "\n// %s adds numbers.\nfunc %s(values []int) int {\n\tsum := 0\n%s\treturn sum\n}\n",
			word, word, strings.Repeat("\tfor _, value := range values {\n\t\tsum += value\n\t}\n", 18))
	}
	path := filepath.Join(tr.root, tr.path(doc))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// edit gives one function after the other another word until it is called; then
// it returns how often.
func (tr *tree) edit(t *testing.T) (end func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	edits := 0
	var editing sync.WaitGroup
	editing.Go(func() {
		for ; ctx.Err() == nil; edits++ {
			doc, part := tr.rng.IntN(countedDocuments), tr.rng.IntN(countedParts)
			tr.parts[doc][part] = tr.word()
			tr.words[doc] = tr.parts[doc][part]
			if err := tr.write(doc); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(15 * time.Millisecond) // the pace of a person in a hurry
		}
	})
	return func() int {
		cancel()
		editing.Wait()
		return edits
	}
}
