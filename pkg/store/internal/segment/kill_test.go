package segment_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// victim writes to a store and says what it did until it is killed. Chunk n is
// put by step n, and step n deletes chunk n−3 where n is divisible by 4; the
// position follows each step.
func victim(e engine, dir string) error {
	ctx := context.Background()
	s, err := e.open(dir, time.Millisecond)
	if err != nil {
		return err
	}
	mark, err := s.Mark(ctx)
	if err != nil {
		return err
	}
	if mark.ID == "" {
		mark.ID = "one"
	}
	if s.Recovered() != "" {
		return fmt.Errorf("recovered: %s", s.Recovered())
	}
	fmt.Println("id", mark.ID)
	for n := int(mark.Position); ; n++ {
		if _, err := e.apply(s, []int{n}, deletedBy(n)); err != nil {
			return err
		}
		if n%3 == 0 {
			if err := s.Refresh(ctx); err != nil {
				return err
			}
		}
		mark.Position = uint64(n + 1)
		if err := s.SetMark(ctx, mark); err != nil {
			return err
		}
		if err := s.SnapshotErr(); err != nil {
			return err
		}
		fmt.Println("step", n)
	}
}

func deletedBy(n int) []int {
	if n >= 4 && n%4 == 0 {
		return []int{n - 3}
	}
	return nil
}

// runVictim lets the victim work for the given number of steps, kills it, and
// returns the store's id and the last step that it told of.
func runVictim(t *testing.T, name, dir string, steps int) (id string, last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FRESHET_TEST_VICTIM_DIR="+dir, "FRESHET_TEST_VICTIM_ENGINE="+name)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last = -1
	killed := false
	for lines := bufio.NewScanner(out); lines.Scan(); {
		what, value, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "id":
			id = value
		case "step":
			if last, err = strconv.Atoi(value); err != nil {
				t.Fatal(err)
			}
			if steps--; steps == 0 {
				killed = true
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := cmd.Wait(); err == nil || !killed {
		t.Fatalf("the process ended by itself: %v, %s", err, errors.String())
	}
	return id, last
}

func TestSIGKILL_KeepsTheIdentityAndNeverRunsAhead(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			id, advanced := "", false
			// On a fast machine some die before their first snapshot.
			for n := 0; n < 8 || !advanced && n < 64; n++ {
				got, last := runVictim(t, name, dir, 1+r.IntN(1500))
				if id != "" && got != id {
					t.Fatalf("the id was %s and is %s", id, got)
				}
				id = got
				s := mustOpen(t, e, dir, 0) // the lock died with its holder
				mark := markOf(t, s)
				if s.Recovered() != "" || mark.Position > 0 && mark.ID != id {
					t.Fatalf("the store is %s and was %s: %s", mark.ID, id, s.Recovered())
				}
				position := int(mark.Position)
				// The last line that was printed may lie one step back.
				if position > last+2 {
					t.Fatalf("the position is %d after step %d", position, last)
				}
				advanced = advanced || position > 0
				ids := held(t, s)
				gone := make(map[int]bool)
				for n := range position {
					for _, d := range deletedBy(n) {
						gone[d] = true
					}
				}
				// Content may be ahead of the position by the steps after
				// it, whose deletions then show; the replay repeats them.
				for n := last + 2; n >= position; n-- {
					for _, d := range deletedBy(n) {
						delete(ids, idOf(d))
						gone[d] = true
					}
				}
				for n := range position {
					if ids[idOf(n)] == gone[n] {
						t.Fatalf("the position is %d; chunk %d: held %v, deleted %v", position, n, ids[idOf(n)], gone[n])
					}
				}
				mustClose(t, s)
			}
			if !advanced {
				t.Fatal("no kill found a position: the test shows nothing")
			}
		})
	}
}
