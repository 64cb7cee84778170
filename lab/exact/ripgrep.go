package exact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// grep notes of each answer whether ripgrep finds the text of its question, in the
// right line and nowhere else; it does nothing where that is not in the PATH.
func grep(ctx context.Context, root string, answers []Answer) (grepped bool, err error) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		return false, nil //nolint:nilerr // then there is nothing beside
	}
	for i := range answers {
		a := &answers[i]
		cmd := exec.CommandContext(ctx, rg, "--fixed-strings", "--line-number", "--no-heading", "--with-filename", "--hidden", "--no-ignore", "--regexp", a.Question.Text, ".")
		cmd.Dir = root
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
			return false, fmt.Errorf("ask ripgrep: %w", err)
		}
		s := a.Question.Right[0]
		found := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		a.Grepped = len(found) == 1 && bytes.HasPrefix(found[0], fmt.Appendf(nil, "./%s:%d:", s.Path, s.Line))
	}
	return true, nil
}
