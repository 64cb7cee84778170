//go:build prove

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// lostBody publishes versions of documents whose common content is named, as
// large contents are, but is not in the log. It returns what puts it there.
func (r *rig) lostBody(source document.Source, content string, paths ...document.Path) (restore func()) {
	r.t.Helper()
	sum := sha256.Sum256([]byte(content))
	name := hex.EncodeToString(sum[:])
	var outs []bus.Out
	for _, path := range paths {
		head := contract.FileHead{Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte(content)), Size: int64(len(content)),
			Collection: document.CollectionCode, Time: time.Now()}
		header := head.Header()
		header.Set(contract.HeaderClaim, name)
		outs = append(outs, bus.Out{Subject: contract.FileSubject(source, document.DocOf(path), document.Worktree), Header: header, Raw: true})
	}
	for _, ack := range r.bus.Publish(r.t.Context(), outs...) {
		if ack.Err != nil {
			r.t.Fatal(ack.Err)
		}
	}
	return func() {
		store, err := r.bus.JetStream().ObjectStore(r.t.Context(), contract.BucketBodies)
		if err == nil {
			_, err = store.Put(r.t.Context(), jetstream.ObjectMeta{Name: name}, strings.NewReader(content))
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// gaveUp waits until there are as many dead letters.
func (r *rig) gaveUp(n int) {
	r.t.Helper()
	changed := make(chan struct{}, 1)
	defer r.bus.Dead().Observe(func(bus.DeadKey, contract.DeadHead, contract.DeadHead) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	for r.bus.Dead().Len() != n {
		select {
		case <-changed:
		case <-r.t.Context().Done():
			r.t.Fatalf("%d dead letters, want %d", r.bus.Dead().Len(), n)
		}
	}
}

// command runs freshet against the rig.
func (r *rig) command(args ...string) (stdout, stderr string, code int) {
	r.t.Helper()
	cmd := freshetCommand(r.t, nil, append(args, "--nats", r.url())...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestThousandDeadLetters_AreRetriedByOneCommand(t *testing.T) {
	t.Parallel()
	// What was put by request stands nowhere else; a document of a folder would be
	// made again from it.
	r := up(t, t.TempDir())
	r.addAPI("library")
	const n = 1000
	paths := make([]document.Path, n)
	for i := range paths {
		paths[i] = document.Path(fmt.Sprintf("shelf/book%04d.go", i))
	}
	paths[3] = "desk/book.go" // the one that will be put again
	restore := r.lostBody("library", goFile("Palimpsest"), paths...)
	r.gaveUp(n)

	// A token does not wait for them, and the answer names them.
	rep := r.find("Palimpsest", "latest")
	if len(rep.Hits) > 0 || len(rep.Failed) == 0 || !strings.Contains(rep.Failed[0].Reason, "missing") {
		t.Errorf("%d hits, failed %+v", len(rep.Hits), rep.Failed)
	}
	out, said, code := r.command("dlq")
	if lines := strings.Count(out, "\n"); code != 0 || lines != n || !strings.Contains(out, "chunker") || !strings.Contains(said, "dlq retry --all") {
		t.Errorf("freshet dlq: exit %d, %d lines, %s", code, lines, said)
	}
	if out, _, code := r.command("status"); code != 0 || !strings.Contains(out, "freshet dlq") {
		t.Errorf("the status does not lead to freshet dlq: %s", out)
	}

	// Before the fix they fail again, and that is told.
	out, said, code = r.command("dlq", "retry", "library:shelf/book0007.go", "--json")
	var got []struct {
		Letter  contract.DeadRef     `json:"letter"`
		Outcome contract.DeadOutcome `json:"outcome"`
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 2 || len(got) != 1 || got[0].Outcome.Outcome != contract.RetryFailed ||
		got[0].Letter.Path != "shelf/book0007.go" || !strings.Contains(said, "1 document failed again") {
		t.Errorf("retried before the fix: exit %d\n%s%s", code, out, said)
	}

	// A new version is tried by itself.
	r.shows(r.put("library", string(paths[3]), goFile("Rewritten")), "Rewritten", "library/"+string(paths[3]))
	r.gaveUp(n - 1)

	restore()
	started := time.Now()
	out, said, code = r.command("dlq", "retry", "--all")
	t.Logf("%d letters were retried in %s", n-1, time.Since(started).Round(time.Millisecond))
	if code != 0 || strings.Count(out, "done ") != n-1 {
		t.Fatalf("retried after the fix: exit %d, %d done\n%s", code, strings.Count(out, "done "), said)
	}
	if got := r.bus.Dead().Len(); got != 0 {
		t.Errorf("%d letters are left", got)
	}
	// The answer shows few of a thousand equal passages; each one is asked for.
	for _, path := range []document.Path{paths[0], paths[7], paths[n-1]} {
		rep := r.search(contract.SearchRequest{Query: "Palimpsest", Token: "latest", Filter: contract.Filter{Paths: []string{string(path)}}})
		if len(found(rep, "Palimpsest")) != 1 || len(rep.Failed) > 0 {
			t.Errorf("%s: %v, failed %v", path, found(rep, "Palimpsest"), rep.Failed)
		}
	}
	if st := r.status(); len(st.Failed) > 0 || !st.Ready || st.Documents != n {
		t.Errorf("%d documents, ready %v, failed %v", st.Documents, st.Ready, st.Failed)
	}
}
