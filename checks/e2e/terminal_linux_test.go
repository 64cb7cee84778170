package e2e

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// person sits before a terminal.
type person struct {
	t      *testing.T
	screen *os.File // what is written to it is typed

	mu    sync.Mutex
	shown strings.Builder
	more  chan struct{} // has room for one
}

// sitDown opens a terminal, and returns its other side for a program.
func sitDown(t *testing.T) (*person, *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, screen: screen, more: make(chan struct{}, 1)}
	var reads sync.WaitGroup
	reads.Go(func() {
		text := make([]byte, 4096)
		for {
			n, err := screen.Read(text)
			p.mu.Lock()
			p.shown.Write(text[:n])
			p.mu.Unlock()
			select {
			case p.more <- struct{}{}:
			default:
			}
			if err != nil {
				return // the program has ended
			}
		}
	})
	t.Cleanup(func() {
		_ = tty.Close()
		reads.Wait()
		_ = screen.Close()
		if t.Failed() {
			t.Logf("the screen shows:\n%s", p.sees())
		}
	})
	return p, tty
}

func (p *person) sees() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown.String()
}

// until waits until something is shown.
func (p *person) until(text string) {
	p.t.Helper()
	for !strings.Contains(p.sees(), text) {
		select {
		case <-p.more:
		case <-p.t.Context().Done():
			p.t.Fatalf("%q is not shown", text)
		}
	}
}

func (p *person) types(text string) {
	p.t.Helper()
	if _, err := p.screen.WriteString(text); err != nil {
		p.t.Fatal(err)
	}
}

// Whoever starts on a terminal with settings that mean more than the limits is
// asked, and need not know a command. A no leaves it held; an answer that is given
// elsewhere ends the question.
func TestRebuildAboveTheLimitsOnATerminal_ThePersonIsAsked(t *testing.T) {
	t.Parallel()
	const n, question = 6, "Index it all the same? [y/N]"
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, n)
	args := []string{"up", dir, "--data", data, "--nats-port", "0"}
	start(t, nil, args[1:]...).stop()
	sit := func(target string) (*person, *program, *rig) {
		t.Helper()
		sits, tty := sitDown(t)
		cmd := freshetCommand(t, []string{"FRESHET_CHUNKER_TARGET=" + target, "FRESHET_LIMITS_FILES=" + strconv.Itoa(n-1)}, args...)
		cmd.Stdin, cmd.Stderr = tty, tty
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p := &program{t: t, cmd: cmd}
		t.Cleanup(p.kill)
		p.ready(bufio.NewReader(out))
		r := attach(t, p.url, data)
		sits.until("the new index is held: ")
		sits.until(question)
		r.heldBuild()
		return sits, p, r
	}

	sits, p, r := sit(size(2))
	sits.types("n\n")
	sits.until("n\r\n") // its echo
	r.heldBuild()
	r.shows("latest", "Zebra1x", "animals/f1.go")
	p.stop()

	sits, p, r = sit(size(2))
	r.accept("")
	sits.until(question + " \r\n") // it is not asked any more
	r.replaced()
	r.bus.Close()
	p.stop()

	sits, p, r = sit("2000") // another change is asked about again
	sits.types("y\n")
	sits.until("it is built now: chunker.target ")
	r.replaced()
	r.shows("latest", "Zebra1x", "animals/f1.go")
	r.bus.Close()
	p.stop()
}
