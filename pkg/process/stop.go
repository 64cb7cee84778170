package process

import (
	"os"
	"time"
)

// Exit codes of all programs.
const (
	ExitDone        = 0
	ExitNotReady    = 1 // of --ready only
	ExitError       = 2
	ExitInterrupted = 130 // a second signal, as shells count it
)

// Attend waits for the exit code of work that is under way. The first signal
// calls cancel and then limit, once each; the work is given up when what limit
// returned fires, which tooLong tells, or at the second signal.
func Attend(done <-chan int, signals <-chan os.Signal, cancel func(), limit func() <-chan time.Time) (code int, tooLong bool) {
	select {
	case code := <-done:
		return code, false
	case <-signals:
		cancel()
	}
	select {
	case code := <-done:
		return code, false
	case <-signals:
		return ExitInterrupted, false
	case <-limit():
		return ExitError, true
	}
}
