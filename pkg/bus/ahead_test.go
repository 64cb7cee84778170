package bus

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// TestTableThatFollowsWrites_ClaimsOnlyWhatItHolds asks the leader whether anything is
// pending while messages come. The consumer learns of a message a moment after
// the stream has it, and nothing is ever removed here without a successor: so
// an answer of none, up to a sequence that the table lacks, is wrong.
func TestTableThatFollowsWrites_ClaimsOnlyWhatItHolds(t *testing.T) {
	t.Parallel()
	srv := startServer(t, t.TempDir())
	t.Cleanup(srv.stop)
	b, err := srv.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	table := b.Files()
	doc := document.DocOf("a.md")
	h := contract.FileHead{Source: "s", Doc: doc, View: document.Worktree, Path: "a.md", Op: contract.OpDelete}
	subject := contract.FileSubject("s", doc, document.Worktree)
	done := make(chan struct{})
	go func() {
		defer close(done)
		var last uint64
		for range 3000 {
			ack := b.Publish(t.Context(), Out{Subject: subject, Header: h.Header(), Expect: last})[0]
			if ack.Err != nil {
				t.Error(ack.Err)
				return
			}
			last = ack.Seq
		}
	}()
	asked, wrong := 0, 0
	for running := true; running; asked++ {
		select {
		case <-done:
			running = false
		default:
		}
		table.mu.RLock()
		pending := table.pending
		table.mu.RUnlock()
		if pending == nil {
			continue
		}
		n, upTo, err := pending(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 && table.Seen() < upTo {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d answers let the table run ahead of what it holds", wrong, asked)
	}
}
