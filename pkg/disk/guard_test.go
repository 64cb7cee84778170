package disk

import (
	"errors"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// asked is a Guard over a disk of which the test says what is free; the test
// does not wait for the next look.
func asked(free *int64) *Guard {
	g := NewGuard("/data", 100<<20, func(string) (Space, error) { return Space{Free: *free, Total: 1 << 30}, nil })
	return g
}

func (g *Guard) fresh() *Guard {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.allowed = lookBytes
	return g
}

func TestWriteIntoTheReserve_IsRefused(t *testing.T) {
	free := int64(101 << 20)
	g := asked(&free)
	if err := g.Room(512 << 10); err != nil {
		t.Fatal(err)
	}
	err := g.Room(2 << 20)
	if document.KindOf(err) != document.Unavailable {
		t.Fatalf("2 MiB fit into 1: %v", err)
	}
	for _, say := range []string{"/data", "101.0 MiB are free", "112.5 MiB are needed", "disk.reserve"} {
		if !strings.Contains(err.Error(), say) {
			t.Errorf("%q does not say %q", err, say)
		}
	}
}

func TestGuard_StopsAndGoesOnWithEveryFile(t *testing.T) {
	free := int64(99 << 20)
	g := asked(&free)
	if g.Room(0) == nil {
		t.Fatal("the reserve is not kept")
	}
	free = 101 << 20
	if g.fresh().Room(0) == nil {
		t.Error("a little more than the reserve is enough to go on")
	}
	free = 113 << 20
	if err := g.fresh().Room(0); err != nil {
		t.Errorf("it does not go on: %v", err)
	}
}

func TestLargeWriteThatFitsLater_IsLetGoOn(t *testing.T) {
	free := int64(200 << 20)
	g := asked(&free)
	if g.Room(150<<20) == nil {
		t.Fatal("150 MiB fit into 100")
	}
	free = 240 << 20
	if g.fresh().Room(0) == nil {
		t.Error("it goes on before there is room for what was refused")
	}
	free = 250 << 20
	if err := g.fresh().Room(150 << 20); err != nil {
		t.Error(err)
	}
}

func TestSnapshotThatDoesNotFit_StopsNobodyElse(t *testing.T) {
	free := int64(120 << 20)
	g := asked(&free)
	if g.Fits(40<<20) == nil {
		t.Error("40 MiB fit into 20")
	}
	if err := g.Room(1 << 20); err != nil {
		t.Error(err)
	}
}

func TestManySmallWritesBetweenTwoLooks_AreCounted(t *testing.T) {
	free := int64(101 << 20)
	g := asked(&free)
	allowed := int64(0)
	for g.Room(64<<10) == nil {
		allowed += 64 << 10
		free -= 64 << 10
	}
	if free < 100<<20 {
		t.Errorf("%d bytes were allowed, and %d are left", allowed, free)
	}
}

func TestFileSystemThatDoesNotTell_StopsNothing(t *testing.T) {
	g := NewGuard("/data", 1<<20, func(string) (Space, error) { return Space{}, errors.New("gone") })
	if err := g.Room(1 << 20); err != nil {
		t.Error(err)
	}
}

func TestSpaceOfAFolder_IsTold(t *testing.T) {
	s, err := SpaceOf(t.TempDir())
	if err != nil || s.Free <= 0 || s.Total < s.Free {
		t.Errorf("%+v, %v", s, err)
	}
}
