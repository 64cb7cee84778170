package indexer_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store"
)

// untilTold waits until the status does, or does not, say something.
func (d *deployment) untilTold(what string, want bool) {
	d.t.Helper()
	for {
		rep, err := rpc.Call[struct{}, contract.Report](d.t.Context(), d.bus.Conn(), contract.SubjectReport, struct{}{})
		if err == nil && slices.ContainsFunc(rep.Degraded, func(line string) bool { return strings.Contains(line, what) }) == want {
			return
		}
		if d.t.Context().Err() != nil {
			d.t.Fatal(d.t.Context().Err())
		}
	}
}

func TestFailingSnapshot_IsInTheStatus(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	if err := os.Rename(d.dir+"/lexical", d.dir+"/away"); err != nil {
		t.Fatal(err)
	}
	snapshot := d.lexical.(interface{ Snapshot(context.Context) error })
	if err := snapshot.Snapshot(t.Context()); err == nil {
		t.Fatal("a snapshot without a folder succeeds")
	}
	d.untilTold("its files are behind what it holds", true)
	if err := os.Rename(d.dir+"/away", d.dir+"/lexical"); err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.untilTold("its files are behind what it holds", false)
}

func TestStoreWhoseFilesCannotBeRead_IsInTheStatus(t *testing.T) {
	d := deploy(t)
	ids := d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	d.stop()
	d.close()
	if err := os.WriteFile(d.dir+"/lexical/MANIFEST", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.open()
	if d.lexical.(store.Saver).Recovered() == "" {
		t.Fatal("a damaged manifest is read")
	}
	// Nobody fills it while another process is its keeper.
	holding, release := context.WithCancel(t.Context())
	held, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.bus.RunAlone(holding, "keeper."+contract.StoreKey(generation, document.Lexical), func(ctx context.Context) error {
			close(held)
			<-ctx.Done()
			return nil
		})
	}()
	<-held
	d.start(false)
	const told = "lexical store of code-test: it is filled again from the log: the snapshot in "
	d.untilTold(told, true)
	release()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	d.settled("a.go")
	d.untilTold(told, false)
	d.holds(ids...)
}
