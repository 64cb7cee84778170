package mirror

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
)

// endWithin is what git has to take its lock files away once it is told to end.
const endWithin = 5 * time.Second

// settings hold for every command: a server that sends next to nothing counts as
// gone, what is fetched is packed before the command ends, and neither hooks nor
// windows come up.
var settings = []string{
	"-c", "http.lowSpeedLimit=1000", "-c", "http.lowSpeedTime=60",
	"-c", "gc.autoDetach=false", "-c", "maintenance.autoDetach=false",
	"-c", "core.hooksPath=/dev/null", "-c", "core.askPass=", "-c", "protocol.ext.allow=never", "-c", "protocol.file.allow=always",
}

// git runs a command in the mirror and returns its standard output. It has a session
// of its own: without a terminal ssh cannot ask, and the end of the command is that of
// the programs that it started.
func (m *Mirror) git(ctx context.Context, args ...string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", append(settings[:len(settings):len(settings)], args...)...)
	cmd.Dir = m.Dir
	cmd.Env = append(gitrepo.Environ(), "GIT_DIR="+m.Dir, "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endWithin
	err := cmd.Run()
	if err != nil && ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return "", document.Errorf(document.Unavailable, "%s was not fetched in the time that there was: it is tried again", m.URL)
		}
		return "", ctx.Err()
	}
	if err != nil {
		return "", m.refusal(stderr.String(), err)
	}
	return stdout.String(), nil
}
