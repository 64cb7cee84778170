package speed

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Push is a push of changed files to a bare repository.
type Push struct {
	Files      int     `json:"files"`
	Repository int     `json:"repository_files"`
	Pushed     float64 `json:"git_push_ms"` // the command git push, hook included
	// Searchable is the time from the return of git push to an answer to a
	// query with the push's token that lists nothing as pending.
	Searchable float64 `json:"searchable_ms"`
	// Found is how many of the changed files a query for their new text
	// finds; it has to be Files.
	Found int `json:"found"`
}

// measurePush makes a bare repository of files, adds it as a source with the
// hooks installed, and pushes a commit that changes n of them.
func measurePush(ctx context.Context, r *running, cfg Config, tree string, files []string) (Push, error) {
	work, bare := filepath.Join(cfg.Scratch, "clone"), filepath.Join(cfg.Scratch, "pushed.git")
	files = files[:min(len(files), 10*cfg.Pushed)]
	for _, rel := range files {
		if err := copyFile(filepath.Join(tree, rel), filepath.Join(work, rel)); err != nil {
			return Push{}, err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "--bare", "-b", "main", bare},
		{"init", "-q", "-b", "main", work},
		{"-C", work, "add", "-A"},
		{"-C", work, "commit", "-q", "-m", "Begin"},
		{"-C", work, "push", "-q", bare, "main"},
	} {
		if _, err := git(ctx, args...); err != nil {
			return Push{}, err
		}
	}
	if _, err := r.add(ctx, bare, "pushed"); err != nil {
		return Push{}, fmt.Errorf("add the bare repository: %w", err)
	}
	if err := r.settled(ctx); err != nil {
		return Push{}, err
	}
	install := exec.CommandContext(ctx, cfg.Binary, "git", "install-hook", bare, "--data", r.data)
	if out, err := install.CombinedOutput(); err != nil {
		return Push{}, fmt.Errorf("install the hooks: %w: %s", err, out)
	}

	changed := files[:min(len(files), cfg.Pushed)]
	for i, rel := range changed {
		f, err := os.OpenFile(filepath.Join(work, rel), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return Push{}, fmt.Errorf("change a file: %w", err)
		}
		_, err = fmt.Fprintf(f, "\n// %s stands here since the push.\n", pushedWord(i))
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			return Push{}, fmt.Errorf("change a file: %w", err)
		}
	}
	if _, err := git(ctx, "-C", work, "commit", "-q", "-a", "-m", "Change"); err != nil {
		return Push{}, err
	}
	out := Push{Files: len(changed), Repository: len(files)}
	begin := time.Now()
	said, err := git(ctx, "-C", work, "push", bare, "main")
	if err != nil {
		return Push{}, err
	}
	returned := time.Now()
	out.Pushed = milliseconds(returned.Sub(begin))
	token, err := r.pushToken(ctx, said, bare)
	if err != nil {
		return Push{}, err
	}
	if err := r.searchableAt(ctx, token); err != nil {
		return Push{}, err
	}
	out.Searchable = milliseconds(time.Since(returned))
	for i, rel := range changed {
		found, err := r.finds(ctx, pushedWord(i), token, document.EncodePath(filepath.ToSlash(rel)))
		if err != nil {
			return Push{}, err
		}
		if found {
			out.Found++
		}
	}
	return out, nil
}

// pushedWord is a word of the i-th changed file alone.
func pushedWord(i int) string {
	return fmt.Sprintf("quxfrob%c%c%c", 'a'+i/676%26, 'a'+i/26%26, 'a'+i%26)
}

// pushToken returns the token that the hook printed, or, where it only says
// that the push was announced, asks for it.
func (c *instance) pushToken(ctx context.Context, said, bare string) (string, error) {
	if _, rest, ok := strings.Cut(said, "push accepted as "); ok {
		return strings.Fields(rest)[0], nil
	}
	rep, err := client.Announce.Ask(ctx, c.bus.Conn(), contract.Announce{Repository: bare})
	if err != nil {
		return "", fmt.Errorf("ask for the push's token: %w", err)
	}
	return rep.Token.String(), nil
}

// searchableAt returns when an answer at the token lists nothing as pending.
func (c *instance) searchableAt(ctx context.Context, token string) error {
	rep, err := c.search(ctx, contract.SearchRequest{
		Query: pushedWord(0), Token: token, DeadlineMS: 20_000,
		Filter: contract.Filter{Sources: []document.Source{"pushed"}},
	})
	if err != nil {
		return fmt.Errorf("search at the push's token: %w", err)
	}
	if len(rep.Pending) > 0 {
		return fmt.Errorf("after 20 s %d documents of the push are still pending, %s among them", len(rep.Pending), rep.Pending[0].Path)
	}
	return nil
}

func (c *instance) finds(ctx context.Context, word, token string, path document.Path) (bool, error) {
	rep, err := c.search(ctx, contract.SearchRequest{
		Query: word, Token: token, Text: contract.TextFull, Filter: contract.Filter{Sources: []document.Source{"pushed"}},
	})
	if err != nil {
		return false, fmt.Errorf("search for pushed text: %w", err)
	}
	for _, h := range rep.Hits {
		if h.Path == path && strings.Contains(h.Text, word) {
			return true, nil
		}
	}
	return false, nil
}

// git runs a git command with an identity of its own and returns what it said.
func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=bench", "GIT_AUTHOR_EMAIL=bench@example.org",
		"GIT_COMMITTER_NAME=bench", "GIT_COMMITTER_EMAIL=bench@example.org",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err == nil {
		err = os.WriteFile(to, content, 0o644)
	}
	if err != nil {
		return fmt.Errorf("copy a file: %w", err)
	}
	return nil
}
