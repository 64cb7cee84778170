package vulture

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Workspace is what a vulture needs of a deployment to write in, for as long as it
// circles: folders, and the sources that watch them.
type Workspace struct {
	Place      Place
	Repository Place // the zero Place where there is no git, or none was asked for
	nc         *nats.Conn
	folder     string            // to remove
	added      []document.Source // to remove
}

// lookTimeout bounds requests that make the watcher read a folder.
const lookTimeout = time.Minute

// Build makes a folder and a git repository and has them watched. What was
// made is removed again where it fails.
func Build(ctx context.Context, nc *nats.Conn) (*Workspace, error) {
	if err := reachable(ctx, nc); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "freshet-vulture-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "no temporary folder can be made (%w): name a place with --dir", err)
	}
	w := &Workspace{nc: nc, folder: dir}
	if err := w.build(ctx); err != nil {
		_ = w.Remove(context.WithoutCancel(ctx)) // the first error tells more
		return nil, err
	}
	return w, nil
}

func (w *Workspace) build(ctx context.Context) error {
	var err error
	if w.Place, err = w.add(ctx, "vulture"); err != nil {
		return err
	}
	if !hasGit() {
		return nil
	}
	dir := filepath.Join(w.folder, "vulture-branches")
	init := exec.CommandContext(ctx, "git", "init", "--quiet", dir)
	init.Env = plainEnvironment()
	if out, err := init.CombinedOutput(); err != nil {
		return document.Errorf(document.Internal, "git cannot make a repository in %s (%w): %s", dir, err, strings.TrimSpace(string(out)))
	}
	w.Repository, err = w.add(ctx, "vulture-branches")
	return err
}

func hasGit() bool {
	_, err := exec.LookPath("git")
	return err == nil
}

// add has a folder watched.
func (w *Workspace) add(ctx context.Context, name string) (Place, error) {
	p := Place{Dir: filepath.Join(w.folder, name)}
	if err := os.MkdirAll(p.Dir, 0o755); err != nil {
		return p, document.Errorf(document.InvalidRequest, "the folder %s cannot be made: %w", p.Dir, err)
	}
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	list, err := client.AddSource.Ask(ctx, w.nc, contract.SourceAdd{Root: p.Dir})
	if document.KindOf(err) == document.NotFound {
		return p, document.Errorf(document.NotFound, "the watcher does not see the folder %s: %s", p.Dir, runThere)
	}
	if err != nil {
		return p, err
	}
	for _, s := range list.Sources {
		if s.Root == p.Dir {
			p.Source = s.Source
			w.added = append(w.added, s.Source)
			return p, nil
		}
	}
	return p, document.Errorf(document.InvalidRequest, "the temporary folder %s lies in something that is watched as a whole: set TMPDIR to a place outside of any repository", p.Dir)
}

// Remove has the sources forgotten with everything that was indexed of them,
// and deletes the folders. Their last error counts.
func (w *Workspace) Remove(ctx context.Context) error {
	var failed error
	for _, s := range w.added {
		if _, err := client.RemoveSource.Ask(ctx, w.nc, contract.SourceRemove{Source: s}); err != nil {
			failed = document.Errorf(document.KindOf(err), "the vulture's source %s is not removed (%w): remove it with `freshet source remove %s`", s, err, s)
		}
	}
	if err := os.RemoveAll(w.folder); err != nil {
		failed = document.Errorf(document.Internal, "the vulture's folder %s is not deleted (%w): delete it by hand", w.folder, err)
	}
	return failed
}

// Borrow takes a folder below the root of a watched source: the named one, or
// a new one of a named source.
func Borrow(ctx context.Context, nc *nats.Conn, source document.Source, dir string) (*Workspace, error) {
	list, err := client.Sources.Ask(ctx, nc, client.None)
	if err != nil {
		return nil, err
	}
	w := &Workspace{nc: nc, Place: Place{Source: source, Dir: dir}}
	longest := ""
	for _, s := range list.Sources {
		switch {
		case !s.Watched || s.Kind != contract.SourceFolder && s.Kind != contract.SourceWorktree:
			// There are no files to write.
		case dir == "" && s.Source == source:
			if _, err := os.Stat(s.Root); err != nil {
				return nil, document.Errorf(document.NotFound, "the root %s of source %s cannot be seen from here (%w): %s", s.Root, s.Source, err, runThere)
			}
			if w.folder, err = os.MkdirTemp(s.Root, "vulture-"); err != nil {
				return nil, document.Errorf(document.InvalidRequest, "no folder can be made in %s: %w", s.Root, err)
			}
			w.Place.Dir = w.folder
			return w, nil
		case dir != "":
			// The innermost source holds it.
			if rel, err := below(s.Root, dir); err == nil && rel != "" && len(s.Root) > len(longest) {
				longest, w.Place.Source = s.Root, s.Source
			}
		}
	}
	if dir == "" {
		return nil, document.Errorf(document.NotFound, "no source %q with files of its own is watched: `freshet source list` names those there are", source)
	}
	if longest == "" {
		return nil, document.Errorf(document.NotFound, "no watched source that can be seen from here holds %s: add one with `freshet source add FOLDER`; %s", dir, runThere)
	}
	if err := vacant(dir); err != nil {
		return nil, err
	}
	w.folder = dir
	return w, nil
}

// reachable returns an error where the watcher says that it runs elsewhere. A
// host without a name finds out when the watcher is asked for the folder.
func reachable(ctx context.Context, nc *nats.Conn) error {
	here, unnamed := os.Hostname()
	st, err := client.Status.Ask(ctx, nc, client.None)
	if err != nil {
		return err
	}
	for _, r := range st.Reports {
		// An instance is HOST:PID-LETTERS.
		if host, _, ok := strings.Cut(r.Instance, ":"); r.Service == "watcher" && ok && unnamed == nil && host != "" && host != here {
			return document.Errorf(document.InvalidRequest, "the watcher runs on %s, and this is %s: %s", host, here, runThere)
		}
	}
	return nil
}
