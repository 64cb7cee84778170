package bus_test

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// output publishes a CHUNKS message of a path that covers a version.
func output(t *testing.T, b *bus.Bus, path document.Path, cover contract.Cover) bus.OutputKey {
	t.Helper()
	h := contract.OutputHead{Generation: "code-test", Source: "s", Doc: document.DocOf(path), Path: path,
		Covers: contract.Covering(document.Worktree, cover)}
	header := h.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Contents: []document.Content{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ack := b.Publish(t.Context(), bus.Out{Subject: h.Subject(contract.StreamChunks), Header: header, Body: body})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return bus.OutputKey{Generation: h.Generation, Source: h.Source, Doc: h.Doc}
}

// A power loss can take the end of FILES back and leave what was made of it.
// Such an output would pass for newer than the version that comes in its place.
func TestOutputOfALostVersion_IsRemovedByTheUncleanStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, err := embedded.Start(embedded.Config{Dir: dir, Port: embedded.NoListen})
	if err != nil {
		t.Fatal(err)
	}
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	seq := put(t, b, "kept.go", "kept", 0)
	changed := put(t, b, "changed.go", "as it is in the log", 0)
	kept := output(t, b, "kept.go", contract.Cover{Version: document.Version(seq), Hash: document.HashOf([]byte("kept"))})
	beyond := output(t, b, "beyond.go", contract.Cover{Version: document.Version(changed + 7), Hash: document.HashOf([]byte("lost"))})
	other := output(t, b, "changed.go", contract.Cover{Version: document.Version(changed), Hash: document.HashOf([]byte("as it was"))})
	given := letterAt(t, b, "kept.go", contract.Cover{Version: document.Version(seq), Hash: document.HashOf([]byte("kept"))})
	lost := letterAt(t, b, "beyond.go", contract.Cover{Version: document.Version(changed + 7), Hash: document.HashOf([]byte("lost"))})
	b.Close()
	if err := srv.Shutdown(); err != nil {
		t.Fatal(err)
	}
	removeCleanMarker(t, dir)

	_, b = bustest.NewServer(t, embedded.Config{Dir: dir, Port: embedded.NoListen})
	chunks := b.Outputs(contract.StreamChunks)
	if err := chunks.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := chunks.Get(kept); !ok {
		t.Error("an output that agrees with the log was removed")
	}
	for name, key := range map[string]bus.OutputKey{"beyond the log": beyond, "of another content": other} {
		if h, ok := chunks.Get(key); ok {
			t.Errorf("the output %s is still there: %+v", name, h)
		}
	}
	left, err := b.GetLast(t.Context(), contract.StreamChunks,
		contract.ChunksSubject(beyond.Generation, beyond.Source, beyond.Doc), contract.ChunksSubject(other.Generation, other.Source, other.Doc))
	if err != nil || len(left) != 0 {
		t.Errorf("%d void messages are left in the stream (%v)", len(left), err)
	}
	if err := b.Dead().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Dead().Get(given); !ok {
		t.Error("a letter that agrees with the log was removed")
	}
	if h, ok := b.Dead().Get(lost); ok {
		t.Errorf("the letter of a version that is lost settles the next: %+v", h)
	}
}

// letterAt publishes a dead letter of a path that covers a version.
func letterAt(t *testing.T, b *bus.Bus, path document.Path, cover contract.Cover) bus.DeadKey {
	t.Helper()
	h := contract.DeadHead{Path: path, Reason: "broken", Attempts: 1, Covers: contract.Covering(document.Worktree, cover)}
	key := letterOf(path)
	if ack := b.Publish(t.Context(), bus.Out{Subject: contract.DeadSubject(key.Stage, key.Source, key.Doc, key.Build), Header: h.Header(), Body: []byte("{}")})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return key
}
