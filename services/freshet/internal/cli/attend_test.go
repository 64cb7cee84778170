package cli

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/command"
)

// stage is a command that never ends by itself.
type stage struct {
	done      chan int
	signals   chan os.Signal
	limit     chan time.Time
	cancelled int
}

func (s *stage) attend(t *testing.T) (code int, complaint string) {
	t.Helper()
	errs, err := os.CreateTemp(t.TempDir(), "stderr")
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	p := &command.Program{Stderr: errs}
	code = attend(p, s.done, s.signals, func() { s.cancelled++ }, func() <-chan time.Time { return s.limit })
	text, err := os.ReadFile(errs.Name())
	if err != nil {
		t.Fatal(err)
	}
	return code, string(text)
}

func newStage() *stage {
	return &stage{done: make(chan int, 1), signals: make(chan os.Signal, 2), limit: make(chan time.Time, 1)}
}

func TestHangingDrain_CanBeEnded(t *testing.T) {
	s := newStage()
	s.signals <- os.Interrupt
	s.signals <- syscall.SIGTERM
	if code, _ := s.attend(t); code != ExitInterrupted || s.cancelled != 1 {
		t.Errorf("two signals: exit %d, cancelled %d times", code, s.cancelled)
	}
	s = newStage()
	s.signals <- os.Interrupt
	s.limit <- time.Time{}
	if code, complaint := s.attend(t); code != ExitError || s.cancelled != 1 || !strings.Contains(complaint, drainLimit.String()) {
		t.Errorf("one signal and no end: exit %d, cancelled %d times, %q", code, s.cancelled, complaint)
	}
}

func TestExitCodeOfTheCommand_IsKept(t *testing.T) {
	s := newStage()
	s.done <- int(command.NoHits)
	if code, _ := s.attend(t); code != int(command.NoHits) || s.cancelled != 0 {
		t.Errorf("exit %d, cancelled %d times", code, s.cancelled)
	}
	s = newStage()
	s.signals <- os.Interrupt
	go func() { s.done <- ExitDone }()
	if code, _ := s.attend(t); code != ExitDone {
		t.Errorf("after a drain: exit %d", code)
	}
}
