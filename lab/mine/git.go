package mine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// git runs git on a repository and returns its output. Nothing that the
// repository names is run.
func git(ctx context.Context, repo string, args ...string) (string, error) {
	base := []string{"-C", repo, "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "advice.detachedHead=false"}
	cmd := exec.CommandContext(ctx, "git", append(base, args...)...)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		said, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return "", document.Errorf(document.Unavailable, "git %s in %s failed (%w: %s): make sure that git is installed and can read the repository", args[0], repo, err, said)
	}
	return out.String(), nil
}

// commit is one of a history.
type commit struct {
	id, parent string
	subject    string
	changed    []string // files that the parent has and the commit changed or deleted
	added      int
}

// history lists the commits of the current branch that have one parent, the
// newest first, at most limit.
func history(ctx context.Context, repo string, limit int) ([]commit, error) {
	text, err := git(ctx, repo, "log", "--no-merges", "--no-ext-diff", "--no-textconv", "--no-renames", "--name-status", "-z",
		fmt.Sprintf("--max-count=%d", limit), "--format=%x01%H%x02%P%x02%s%x02")
	if err != nil {
		return nil, err
	}
	var out []commit
	for _, record := range strings.Split(text, "\x01")[1:] {
		parts := strings.SplitN(record, "\x02", 4)
		if len(parts) < 4 || strings.Contains(parts[1], " ") || parts[1] == "" {
			continue
		}
		c := commit{id: parts[0], parent: parts[1], subject: strings.TrimSpace(parts[2])}
		fields := strings.Split(strings.Trim(parts[3], "\x00\n"), "\x00")
		for i := 0; i+1 < len(fields); i += 2 {
			switch strings.TrimSpace(fields[i]) {
			case "M", "D":
				c.changed = append(c.changed, fields[i+1])
			case "A":
				c.added++
			}
		}
		out = append(out, c)
	}
	return out, nil
}

// isShallow reports whether a part of the history is missing.
func isShallow(ctx context.Context, repo string) (bool, error) {
	said, err := git(ctx, repo, "rev-parse", "--is-shallow-repository")
	return strings.TrimSpace(said) == "true", err
}
