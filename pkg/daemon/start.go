package daemon

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// announceEvery is the time between looks for the instance file of a freshet that
// starts.
const announceEvery = 20 * time.Millisecond

// Command is how a freshet is started in the background.
type Command struct {
	Program string   // absolute path
	Args    []string // of freshet up, besides --data
	Env     []string // nil is the caller's
	Dir     string   // "" is the state folder
}

// Run is a freshet that runs on a state folder.
type Run struct {
	instance.Record
	Path string // of the state folder
	// Mine says that this call started it.
	Mine bool

	from int64 // where its part of the log begins
}

// Said returns the lines of the log since it was started that begin with a prefix,
// without it, for a terminal.
func (r Run) Said(prefix string) []string {
	text, err := os.ReadFile(LogFile(r.Path))
	if err != nil || int64(len(text)) < r.from {
		return nil
	}
	var said []string
	for line := range bytes.Lines(text[r.from:]) {
		if rest, ok := strings.CutPrefix(strings.TrimRight(string(line), "\n"), prefix); ok && bytes.HasSuffix(line, []byte("\n")) {
			said = append(said, terminal.Printable(rest))
		}
	}
	return said
}

// Gone is the error of one that has ended, by itself or because of somebody; nil
// while it runs.
func (r Run) Gone() error {
	if r.Running(r.Path) {
		return nil
	}
	return document.Errorf(document.Unavailable, "freshet ended before it was ready: %s (its log is %s)", r.reason("it did not say why"), LogFile(r.Path))
}

// reason is what it has said of its end.
func (r Run) reason(none string) string {
	said := r.Said("freshet: ")
	if len(said) == 0 {
		return none
	}
	return said[len(said)-1]
}

// Start has a freshet run on a state folder ("" is the user's) and returns once it
// can be reached: the one that runs there, or one that is started in the
// background, which outlives the caller. Of callers at the
// same time one starts it, and all return the same. The error is one sentence with
// the place of the log, or ctx's.
func Start(ctx context.Context, state string, c Command) (Run, error) {
	path, err := instance.Locate(state)
	if err != nil {
		return Run{}, err
	}
	if r, ok := running(path); ok {
		return r, nil
	}
	held, err := lock(ctx, path)
	if err != nil {
		return Run{}, err
	}
	defer held.Close()
	if r, ok := running(path); ok {
		return r, nil // another caller was first
	}
	return c.launch(ctx, path)
}

func running(path string) (Run, bool) {
	r, err := instance.Read(path)
	return Run{Record: r, Path: path}, err == nil && r.Running(path)
}

// launch starts the process, and waits until it has announced itself, or is gone.
func (c Command) launch(ctx context.Context, path string) (Run, error) {
	run := Run{Path: path}
	log, err := openLog(path)
	if err == nil {
		defer log.Close()
		run.from, err = log.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return run, document.Errorf(document.Unavailable, "freshet was not started: %w", err)
	}
	cmd := exec.Command(c.Program, append([]string{"up", "--data", path}, c.Args...)...)
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = c.Env, c.Dir, log, log
	if cmd.Dir == "" {
		cmd.Dir = path
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // the caller's terminal and group end without it
	if err := cmd.Start(); err != nil {
		return run, document.Errorf(document.Unavailable, "freshet was not started: %w", err)
	}
	gone := make(chan error, 1)
	go func() { gone <- cmd.Wait() }()
	tick := time.NewTicker(announceEvery)
	defer tick.Stop()
	for {
		if r, ok := running(path); ok {
			// Another one that a person started meanwhile is as good.
			r.Mine, r.from = r.PID == cmd.Process.Pid, run.from
			return r, nil
		}
		select {
		case <-tick.C:
		case end := <-gone:
			if r, ok := running(path); ok {
				return r, nil
			}
			return run, document.Errorf(document.Unavailable, "freshet did not start: %s (its log is %s)", run.reason("it ended with "+exit(end)), LogFile(path))
		case <-ctx.Done():
			return run, ctx.Err() // what was started goes on, and the next one finds it
		}
	}
}

func exit(err error) string {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.String()
	}
	return "exit status 0"
}
