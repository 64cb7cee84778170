//go:build prove

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/hostile"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// swapper puts one thing in the place of another, in places of its own.
type swapper struct {
	root    string
	outside string
	rng     *rand.Rand
	places  []string
	n       int
}

func (s *swapper) place() string { return filepath.Join(s.root, s.places[s.rng.IntN(len(s.places))]) }

// swap clears a place and puts something else there.
func (s *swapper) swap() error {
	at := s.place()
	s.n++
	text := fmt.Sprintf("Round %d of %s, with some text.\n", s.n, filepath.Base(at))
	kind := s.rng.IntN(10)
	if kind == 9 {
		to := s.place()
		if to == at {
			return nil
		}
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		if err := os.Rename(at, to); err != nil && !os.IsNotExist(err) {
			return err
		}
		return nil
	}
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	switch kind {
	case 0, 1:
		return os.WriteFile(at, []byte(text), 0o644)
	case 2, 3:
		inner := filepath.Join(at, "folder")
		if err := os.MkdirAll(inner, 0o755); err != nil {
			return err
		}
		for _, name := range []string{"secret.txt", "secret.md", "deep"} { // as outside
			if err := os.WriteFile(filepath.Join(inner, name), []byte(text), 0o644); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(at, "secret.txt"), []byte(text), 0o644)
	case 4:
		return os.Symlink(s.outside, at)
	case 5:
		return os.Symlink(filepath.Join(s.outside, "secret.txt"), at)
	case 6:
		return os.Symlink(s.places[0], at)
	case 7:
		return syscall.Mkfifo(at, 0o644)
	}
	return nil // nothing is there now
}

// Files, folders, links that lead out and pipes take each other's place while
// everything is looked at. What is in the log in the end is what a fresh scan
// finds, and outside nothing was opened at any time.
func TestThingsThatTakeEachOthersPlace_LeaveNoGhost(t *testing.T) {
	t.Parallel()
	seed := vultureConfig(t).Seed
	root, outside := folder(t, "swap"), filepath.Join(folder(t, "beside"), "outside")
	if err := hostile.Outside(outside); err != nil {
		t.Fatal(err)
	}
	guard := watchOutside(t, outside)
	data := t.TempDir()
	r := up(t, data, root)
	const looks = 15
	var writers sync.WaitGroup
	over := make(chan struct{})
	until := func(do func() error) {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond): // the looks need time as well
			}
			if err := do(); err != nil {
				t.Error(err)
				return
			}
		}
	}
	for i := range 3 {
		s := &swapper{root: root, outside: outside, rng: rand.New(rand.NewPCG(seed, uint64(i)))}
		for k := range 4 {
			s.places = append(s.places, fmt.Sprintf("place%d%c", i, 'a'+k))
		}
		s.places = append(s.places, fmt.Sprintf("PLACE%da", i)) // only by its case another
		writers.Go(func() { until(s.swap) })
	}
	lines := 0
	writers.Go(func() {
		until(func() error { // changes whenever it is read
			lines++
			return os.WriteFile(filepath.Join(root, "changes.txt"), []byte(strings.Repeat("line\n", 1+lines%5000)), 0o644)
		})
	})
	for range looks {
		// The answer may be that a file keeps changing.
		_, _ = client.Announce.Ask(t.Context(), r.bus.Conn(), contract.Announce{Paths: []string{root}})
	}
	close(over)
	writers.Wait()
	r.look(root)
	r.find("round", "latest")
	settled := r.present("swap")
	r.keepsSecrets()
	if opened := guard(); len(opened) > 0 {
		t.Errorf("outside of the root was opened: %v", opened)
	}
	for _, f := range r.status().Failed {
		t.Errorf("given up: %+v", f)
	}
	r.stop()
	storesEqualLog(t, data)

	fresh := up(t, t.TempDir(), root).present("swap")
	for path, want := range fresh {
		if got := settled[path]; got.Op != want.Op || got.Hash != want.Hash || got.Reason != want.Reason {
			t.Errorf("%s is %s %s %q, a fresh scan says %s %s %q", path, got.Op, got.Hash, got.Reason, want.Op, want.Hash, want.Reason)
		}
		delete(settled, path)
	}
	for path, got := range settled {
		t.Errorf("%s is %s %q, a fresh scan finds nothing there", path, got.Op, got.Reason)
	}
	if len(fresh) < 5 {
		t.Errorf("only %d things were left to compare", len(fresh))
	}
}
