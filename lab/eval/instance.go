package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/document"
)

// indexLimit bounds the indexing of a corpus.
const indexLimit = 30 * time.Minute

// Corpus says what an instance of its own is to index.
type Corpus struct {
	Binary  string   // path of freshet
	Folders []string // each becomes a source
	// History has the one folder, a git repository, indexed as of whatever
	// commit a task is asked as of.
	History bool
	Config  string // configuration file; "" for the defaults
	Scratch string // folder for temporary state; "" for the system's
}

// Instance is a freshet of the evaluation's own, in a process of its own and a
// state that is removed by Close.
type Instance struct {
	Bus      *bus.Bus
	Indexing Indexing

	process *system.Process
	history *history // nil without
	state   string
}

// Start indexes a corpus from nothing. It returns when everything found is
// searchable. The instance ends at the latest with ctx; the caller closes it.
func Start(ctx context.Context, c Corpus) (*Instance, error) {
	in := &Instance{}
	err := in.start(ctx, c)
	if err == nil {
		return in, nil
	}
	if ctx.Err() != nil {
		err = ctx.Err() // the program ended since it was told to
	}
	return nil, errors.Join(err, in.Close())
}

func (in *Instance) start(ctx context.Context, c Corpus) error {
	folders, err := resolved(c.Folders)
	if err != nil {
		return err
	}
	if in.state, err = os.MkdirTemp(c.Scratch, "freshet-eval-"); err != nil {
		return fmt.Errorf("make a folder for temporary state: %w", err)
	}
	if c.History {
		if len(folders) != 1 {
			return document.Errorf(document.InvalidRequest, "the tasks are asked as of commits: name one repository with --index, not %d folders", len(folders))
		}
		if in.history, err = copyHistory(ctx, folders[0], in.state); err != nil {
			return err
		}
		folders = []string{in.history.repo}
	}
	in.process, err = system.Start(ctx, system.Options{Binary: c.Binary, Data: filepath.Join(in.state, "state"), Paths: folders, Config: c.Config})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	url, after, err := in.process.Ready(ctx)
	if err != nil {
		return err
	}
	if in.Bus, err = bus.Connect(ctx, url); err != nil {
		return fmt.Errorf("connect to the program: %w", err)
	}
	in.Indexing.Seconds = after.Seconds()
	return in.look(ctx, folders)
}

// look checks that exactly the folders are indexed, and counts.
func (in *Instance) look(ctx context.Context, folders []string) error {
	st, err := client.Status.Ask(ctx, in.Bus.Conn(), client.None)
	if err != nil {
		return err
	}
	in.Indexing.Passages = st.Chunks
	for _, s := range st.Sources {
		in.Indexing.Documents += s.Documents
		switch {
		case s.Held != "":
			return document.Errorf(document.TooLarge, "%s is held: %s", s.Root, s.Held)
		case !slices.Contains(folders, s.Root):
			// A folder in a git repository is followed as that whole repository:
			// other files than those of the corpus would compete.
			return document.Errorf(document.InvalidRequest, "the repository %s is indexed instead of a folder in it: name the repository itself, or a copy of the folder outside of it", s.Root)
		}
	}
	if len(st.Sources) != len(folders) {
		return document.Errorf(document.InvalidRequest, "%d folders were named and %d sources are indexed: name each folder once, and none within another", len(folders), len(st.Sources))
	}
	return nil
}

// resolved returns the folders as sources have them.
func resolved(folders []string) ([]string, error) {
	out := make([]string, len(folders))
	for i, f := range folders {
		abs, err := filepath.Abs(f)
		if err == nil {
			abs, err = filepath.EvalSymlinks(abs)
		}
		if err != nil {
			return nil, document.Errorf(document.NotFound, "cannot index %s: %w: check the path", f, err)
		}
		out[i] = abs
	}
	return out, nil
}

// Close ends the instance and removes its state. It may be called again.
func (in *Instance) Close() error {
	var err error
	if in.Bus != nil {
		in.Bus.Close()
		in.Bus = nil
	}
	if in.process != nil {
		_, err = in.process.Stop()
		in.process = nil
	}
	if in.state != "" {
		err = errors.Join(err, os.RemoveAll(in.state))
		in.state = ""
	}
	return err
}
