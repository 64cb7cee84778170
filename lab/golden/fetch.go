package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// fetch returns the folder of the module in the module cache.
func (d Documents) fetch(ctx context.Context) (string, error) {
	name := d.Module + "@" + d.Version
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", name)
	cmd.Dir = os.TempDir() // not in a module, whose versions would count
	// The sum stands here, so that no database of sums has to be asked.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOSUMDB=off", "GO111MODULE=on")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var got struct{ Dir, Sum, Error string }
	if jsonErr := json.Unmarshal(out.Bytes(), &got); err != nil || jsonErr != nil || got.Error != "" {
		said, _, _ := strings.Cut(strings.TrimSpace(got.Error+errs.String()), "\n")
		return "", document.Errorf(document.Unavailable, "cannot bring the documents of %s (%w: %s): run `go mod download %s` where a module proxy can be reached", name, errors.Join(err, jsonErr), said, name)
	}
	if got.Sum != d.Sum {
		return "", document.Errorf(document.Conflict, "the module %s has the sum %s instead of %s: its questions are about another one, so remove it with `go clean -modcache`, or use another proxy", name, got.Sum, d.Sum)
	}
	return got.Dir, nil
}

// copy writes the Markdown files among the documents below to, and returns how
// many these are.
func (d Documents) copy(from, to string) (int, error) {
	count := 0
	for _, f := range d.Files {
		err := filepath.WalkDir(filepath.Join(from, filepath.FromSlash(f)), func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(from, name)
			if err != nil {
				return err
			}
			if e.IsDir() && slices.Contains(d.Without, filepath.ToSlash(rel)) {
				return filepath.SkipDir
			}
			if !e.Type().IsRegular() || filepath.Ext(name) != ".md" {
				return nil
			}
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			count++
			target := filepath.Join(to, rel)
			if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
				return err
			}
			return os.WriteFile(target, content, 0o644)
		})
		if err != nil {
			return 0, fmt.Errorf("copy the documents of %s: %w", d.Module, err)
		}
	}
	return count, nil
}
