package parser

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Ways in which a child of these tests goes wrong. The test binary is started
// with one of them as its first argument.
const (
	childHangs    = "child-hangs"    // reads the request and never answers
	childDeaf     = "child-deaf"     // does not even read
	childEats     = "child-eats"     // allocates until it is stopped
	childExits    = "child-exits"    // ends when a request comes
	childGibbers  = "child-gibbers"  // answers with bytes that are no frame
	childLies     = "child-lies"     // answers with a range beyond the content
	childIsParent = "child-isparent" // runs a pool, prints its child's id, and waits
)

func TestMain(m *testing.M) {
	if len(os.Args) < 2 {
		os.Exit(m.Run())
	}
	switch os.Args[1] {
	case Argument:
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case childHangs:
		receive()
		select {}
	case childDeaf:
		select {}
	case childEats:
		receive()
		var held [][]byte
		for {
			b := make([]byte, 8<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			held = append(held, b)
			if len(held) > 256 { // 2 GiB: the limit did not work
				os.Exit(1)
			}
		}
	case childExits:
		receive()
		os.Exit(3)
	case childGibbers:
		receive()
		_, _ = os.Stdout.Write(bytes.Repeat([]byte{0xff}, 64))
		select {}
	case childLies:
		for {
			receive()
			body := []byte(`{"spans":[{"start_byte":0,"end_byte":1000000,"start_line":1,"end_line":1}]}`)
			if err := writeFrames(os.Stdout, body); err != nil {
				os.Exit(1)
			}
		}
	case childIsParent:
		p, err := NewPool(config())
		if err == nil {
			_, err = p.Split(context.Background(), "go", []byte("package a\n"), p.cfg.Options)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(p.PIDs()[0])
		select {}
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// receive reads one request.
func receive() {
	for range 2 {
		var head [4]byte
		if _, err := io.ReadFull(os.Stdin, head[:]); err != nil {
			os.Exit(0)
		}
		if _, err := io.CopyN(io.Discard, os.Stdin, int64(binary.BigEndian.Uint32(head[:]))); err != nil {
			os.Exit(0)
		}
	}
}

func config(command ...string) Config {
	if len(command) > 0 {
		command = append([]string{os.Args[0]}, command...)
	}
	return Config{Command: command, Children: 2, Timeout: time.Minute, TimeoutPerMiB: time.Second, Memory: 1 << 30}
}

func newPool(t testing.TB, cfg Config) *Pool {
	t.Helper()
	p, err := NewPool(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

const source = "package a\n\nimport \"fmt\"\n\n// F prints.\nfunc F() { fmt.Println() }\n"

// fallback asks for a split that has to fall back with a reason, and returns
// how many children were replaced.
func fallback(t *testing.T, cfg Config, content, want string) uint64 {
	t.Helper()
	p := newPool(t, cfg)
	spans, err := p.Split(t.Context(), "go", []byte(content), p.cfg.Options)
	if err != nil {
		t.Fatal(err)
	}
	if err := split.Verify([]byte(content), spans, true); err != nil {
		t.Error(err)
	}
	for _, s := range spans {
		if s.Fallback != want {
			t.Errorf("reason is %q, want %q", s.Fallback, want)
		}
	}
	if len(spans) == 0 {
		t.Error("no spans")
	}
	return p.Restarts()
}

func TestChild_SplitsLikeTheParserInProcess(t *testing.T) {
	p := newPool(t, config())
	spans, err := p.Split(t.Context(), "go", []byte(source), p.cfg.Options)
	if err != nil {
		t.Fatal(err)
	}
	if len(spans) != 2 || spans[1].Symbol != "F" || spans[1].Fallback != "" || spans[1].StartLine != 5 {
		t.Errorf("spans are %+v", spans)
	}
	if p.Restarts() != 0 || len(p.PIDs()) != 1 {
		t.Errorf("%d restarts, %d children for one request", p.Restarts(), len(p.PIDs()))
	}
}

func TestHangingChild_IsStoppedAtTheTimeLimit(t *testing.T) {
	for _, mode := range []string{childHangs, childDeaf} {
		cfg := config(mode)
		cfg.Timeout = 200 * time.Millisecond
		// More than a pipe holds, so that a deaf child blocks the writer.
		if n := fallback(t, cfg, source+strings.Repeat("// filler\n", 20000), errTime.Error()); n != 1 {
			t.Errorf("%s: %d restarts, want 1", mode, n)
		}
	}
}

func TestChildThatEatsMemory_IsStoppedAtTheLimit(t *testing.T) {
	cfg := config(childEats)
	cfg.Memory = 128 << 20
	if n := fallback(t, cfg, source, errMemory.Error()); n != 1 {
		t.Errorf("%d restarts, want 1", n)
	}
}

func TestChildThatDies_GetsASecondTryThenTheFallback(t *testing.T) {
	for _, mode := range []string{childExits, childGibbers, childLies} {
		if n := fallback(t, config(mode), source, errDied.Error()); n != 2 {
			t.Errorf("%s: %d restarts, want 2", mode, n)
		}
	}
}

func TestKilledChildren_AreReplacedAndEveryDocumentIsParsed(t *testing.T) {
	p := newPool(t, config())
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var killer sync.WaitGroup
	killed := 0
	killer.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				for _, pid := range p.PIDs() {
					if syscall.Kill(pid, syscall.SIGKILL) == nil {
						killed++
					}
				}
			}
		}
	})
	for worker := range 4 {
		wg.Go(func() {
			for i := range 40 {
				content := []byte(source + strings.Repeat(fmt.Sprintf("func F%d() { g(%d) }\n", worker, i), 200))
				spans, err := p.Split(t.Context(), "go", content, p.cfg.Options)
				if err != nil {
					t.Error(err)
					return
				}
				if err := split.Verify(content, spans, true); err != nil {
					t.Error(err)
				}
				for _, s := range spans {
					if s.Fallback != "" && s.Fallback != errDied.Error() {
						t.Errorf("reason is %q", s.Fallback)
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	killer.Wait()
	if killed == 0 || p.Restarts() == 0 {
		t.Errorf("%d children were killed, %d restarted", killed, p.Restarts())
	}
}

func TestCancelledRequest_LeavesThePoolUsable(t *testing.T) {
	cfg := config(childHangs)
	cfg.Children = 1
	p := newPool(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := p.Split(ctx, "go", []byte(source), p.cfg.Options); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	p.cfg.Timeout = 100 * time.Millisecond
	if spans, err := p.Split(t.Context(), "go", []byte(source), p.cfg.Options); err != nil || spans[0].Fallback != errTime.Error() {
		t.Errorf("the next request gave %+v, %v", spans, err)
	}
}

func TestClose_LeavesNoChildren(t *testing.T) {
	p, err := NewPool(config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Split(t.Context(), "go", []byte(source), p.cfg.Options); err != nil {
		t.Fatal(err)
	}
	pid := p.PIDs()[0]
	p.Close()
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("child %d is still there: %v", pid, err)
	}
}

func TestParentIsKilled_ItsChildDies(t *testing.T) {
	parent, err := start([]string{os.Args[0], childIsParent}, 0)
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(parent.out, &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Fatalf("the child %d does not run: %v", pid, err)
	}
	parent.stop()
	for gone(pid) != nil { // it ends soon or the test runs into its own limit
		time.Sleep(time.Millisecond)
	}
}

// gone is nil when a process ended; one that nobody waits for is a zombie.
func gone(pid int) error {
	if runtime.GOOS != "linux" {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return nil
		}
		return fmt.Errorf("process %d still runs", pid)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	if i := bytes.LastIndexByte(stat, ')'); i > 0 && i+2 < len(stat) && stat[i+2] == 'Z' {
		return nil
	}
	return fmt.Errorf("process %d still runs", pid)
}

func TestServe_EndsWithItsInput(t *testing.T) {
	if err := Serve(strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("end of input is an error: %v", err)
	}
	if err := Serve(strings.NewReader("\xff\xff\xff\xff"), io.Discard); !errors.Is(err, errFrame) {
		t.Errorf("a frame of 4 GiB gives %v", err)
	}
}
