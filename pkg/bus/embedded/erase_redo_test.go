package embedded

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEraseThatAPowerLossCutOff_IsFinishedByTheNextStart(t *testing.T) {
	t.Parallel()
	cfg := Config{Dir: t.TempDir(), Port: NoListen}
	start := func() (*Server, *bus.Bus) {
		srv, err := Start(cfg)
		if err != nil {
			t.Fatal(err)
		}
		b, err := srv.Connect(t.Context())
		if err == nil {
			err = bus.EnsureStreams(t.Context(), b)
		}
		if err != nil {
			t.Fatal(err)
		}
		return srv, b
	}
	stop := func(srv *Server, b *bus.Bus) {
		b.Close()
		if err := srv.Shutdown(); err != nil {
			t.Error(err)
		}
	}
	subject := func(path document.Path) string {
		return contract.FileSubject("s", document.DocOf(path), document.Worktree)
	}
	write := func(b *bus.Bus, path document.Path, text string, expect uint64) uint64 {
		h := contract.FileHead{Path: path, Op: contract.OpPut}
		ack := b.Publish(t.Context(), bus.Out{Subject: subject(path), Header: h.Header(), Body: []byte(text), Expect: expect})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		return ack.Seq
	}
	const secret = "what was removed a moment before the lights went out"
	srv, b := start()
	seq := write(b, "a.go", secret, 0)
	write(b, "a.go", "new", seq)
	write(b, "b.go", "kept", 0)
	stop(srv, b)

	// A power loss after the first half of the record: the note is on the disk.
	files, err := block.FilesOf(cfg.Dir, contract.StreamFiles)
	if err != nil || len(files) != 1 {
		t.Fatalf("blocks %v (%v), want one", files, err)
	}
	path := files[0].Path
	buf, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	erased := erasedCopy(t, buf, files[0].Number, seq)
	note := fmt.Sprintf(`{"stream":%q,"path":%q,"records":[]}`, contract.StreamFiles, path)
	block.Scan(bytes.Clone(buf), block.SumOf(contract.StreamFiles, files[0].Number), func(r block.Record) {
		if r.Seq == seq && r.Message() {
			copy(buf[r.At:], erased[r.At:r.At+r.Size/2])
			note = fmt.Sprintf(`{"stream":%q,"path":%q,"records":[{"At":%d,"Len":%d,"Seq":%d}]}`, contract.StreamFiles, path, r.At, r.Size, r.Seq)
		}
	})
	redo := filepath.Join(cfg.Dir, "erase.redo")
	if err = os.WriteFile(redo, []byte(note), 0o600); err == nil {
		err = os.WriteFile(path, buf, 0o600)
	}
	// Without its index, the server reads and checks every record.
	if err == nil {
		err = os.Remove(filepath.Join(filepath.Dir(path), "index.db"))
	}
	if err != nil {
		t.Fatal(err)
	}

	srv, b = start()
	defer stop(srv, b)
	if buf, err = os.ReadFile(path); err != nil || bytes.Contains(buf, []byte("lights went out")) {
		t.Errorf("what was removed stands in %s (%v)", path, err)
	}
	if _, err := os.Stat(redo); !os.IsNotExist(err) {
		t.Errorf("%s is left (%v)", redo, err)
	}
	for path, text := range map[document.Path]string{"a.go": "new", "b.go": "kept"} {
		m, err := b.LeaderLast(t.Context(), contract.StreamFiles, subject(path))
		if err != nil || m == nil {
			t.Fatalf("%s is gone (%v)", path, err)
		}
		if body, err := m.Body(t.Context()); err != nil || string(body) != text {
			t.Errorf("%s reads as %q (%v)", path, body, err)
		}
	}
}

// erasedCopy is a block of FILES after a whole erasure of one message.
func erasedCopy(t *testing.T, buf []byte, number int, seq uint64) []byte {
	t.Helper()
	dir := t.TempDir()
	f := block.File{Number: number, Path: filepath.Join(dir, block.Name(number))}
	err := os.WriteFile(f.Path, buf, 0o600)
	if err == nil {
		_, err = block.Erase(dir, contract.StreamFiles, f, func(s uint64) bool { return s == seq })
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(f.Path)
	if err != nil || bytes.Equal(out, buf) {
		t.Fatalf("nothing was erased (%v)", err)
	}
	return out
}
