package remote

import (
	"context"
	"os/exec"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// commitOf returns the id of a revision of the repository around the current
// folder. What is none there, and may be an id, is taken as the beginning of
// one: the repository may be elsewhere.
func commitOf(ctx context.Context, revision string) (string, error) {
	if revision == "" {
		return "", nil
	}
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--quiet", "--verify", "--end-of-options", revision+"^{commit}")
	out, err := cmd.Output()
	if err == nil {
		return strings.TrimSpace(string(out)), nil
	}
	if len(revision) >= 4 && strings.Trim(strings.ToLower(revision), "0123456789abcdef") == "" {
		return revision, nil
	}
	return "", document.Errorf(document.InvalidRequest, "git finds no commit %q from the current folder: run this in the repository, or give the commit's id", revision)
}
