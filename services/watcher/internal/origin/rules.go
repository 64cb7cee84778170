package origin

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
)

// AccessFile is the path of the file of rules below the root of a source.
var AccessFile = document.AccessFile.Raw()

// ReadRules has the rules hold that stand in the source now.
func (o *Origin) ReadRules(ctx context.Context) error {
	rules, err := o.LoadRules(ctx)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rules = rules
	return nil
}

// LoadRules reads the ignore rules as they stand now.
func (o *Origin) LoadRules(ctx context.Context) (*ignore.Set, error) {
	root := o.Place.Root
	in := ignore.Options{Git: true, LeftOut: o.Excluded(), Read: readBelow(root)}
	if rel, err := filepath.Rel(root, o.StateDir); o.StateDir != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		in.Fixed = []string{filepath.ToSlash(rel)}
	}
	in.Nested = func(rel string) bool {
		dir := filepath.Join(root, filepath.FromSlash(rel))
		if o.Repo == nil {
			return gitrepo.IsGitDir(dir)
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return err == nil || gitrepo.IsGitDir(dir)
	}
	if o.Repo == nil {
		return ignore.New(in), nil
	}
	excludes, err := o.Repo.Excludes(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range excludes {
		in.Excludes = append(in.Excludes, ignore.Exclude{Name: e.Name, Content: e.Content})
	}
	plain := ignore.New(in)
	in.Tracked, err = o.Repo.TrackedIgnored(ctx, func(path string) bool {
		d := plain.Decide(path, false)
		return d.Ignored && d.Class == ignore.ClassGit
	})
	if err != nil {
		return nil, err
	}
	return ignore.New(in), nil
}

// Excluded are the rules that were named with the source.
func (o *Origin) Excluded() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.exclude
}

// SetExcluded replaces them; they hold from the next reading of the rules on.
func (o *Origin) SetExcluded(rules []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.exclude = slices.Clone(rules)
}

// maxRuleFile bounds what is read of an ignore file, in bytes.
const maxRuleFile = 4 << 20

// readBelow reads small regular files by their path relative to root, and none
// behind a link.
func readBelow(root string) func(rel string) ([]byte, bool) {
	return func(rel string) ([]byte, bool) {
		b, err := beneath.ReadSmallBelow(root, rel, maxRuleFile)
		return b, err == nil
	}
}
