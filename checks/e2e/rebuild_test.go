package e2e

import (
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// announced starts everything with passages of another size, and returns what is
// said of that.
func announced(t *testing.T, data, dir string, times int) (*rig, chan freshet.Change) {
	t.Helper()
	said := make(chan freshet.Change, 2)
	r := upWith(t, data, func(o *freshet.Options) {
		o.Config.Chunker.Target *= times
		o.Config.Superseded.Grace = time.Hour
		o.Rebuilding = func(c freshet.Change) { said <- c }
	}, dir)
	return r, said
}

// size is that of passages so many times as large.
func size(times int) string { return strconv.Itoa(config.Default().Chunker.Target * times) }

func TestAnotherChunkSize_IsAnnounced(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), t.TempDir()
	for i := range 20 {
		write(t, filepath.Join(dir, "f"+strconv.Itoa(i)+".go"), goFile("Zebra"+strconv.Itoa(i)))
	}
	r, said := announced(t, data, dir, 1)
	r.stop()
	if len(said) > 0 {
		t.Errorf("the first start changes %+v", <-said)
	}

	r, said = announced(t, data, dir, 2)
	c := <-said
	want := contract.BuildChange{Field: "chunker.target", Before: size(1), Now: size(2)}
	if len(c.Fields) != 1 || c.Fields[0] != want {
		t.Errorf("what differs is said to be %+v, want %+v", c.Fields, want)
	}
	if got := c.Rebuild; !c.Estimated || got.Left.Documents != 20 || got.Kept != 0 || got.Left.Passages.Value == 0 || got.Disk.Log == 0 {
		t.Errorf("of 20 documents %+v are said to be left", got)
	}
	if !c.Meanwhile {
		t.Error("what was built before does not answer meanwhile")
	}
	r.replaced()
	r.stop()

	// Once it is complete, it is no news any more.
	r, said = announced(t, data, dir, 2)
	r.stop()
	if len(said) > 0 {
		t.Errorf("a start without a change announces %+v", <-said)
	}

	// Whoever goes back is told that nothing of it is lost.
	r, said = announced(t, data, dir, 1)
	if c := <-said; c.Rebuild.Kept != 20 || c.Rebuild.KeptPassages == 0 || c.Rebuild.Left.Documents != 0 {
		t.Errorf("going back is said to take %+v", c.Rebuild)
	}
	r.stop()
}
