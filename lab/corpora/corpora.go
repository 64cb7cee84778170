// Package corpora makes the task sets that this project measures itself with, of
// what every checkout of it has: Go's own source, the modules that it depends on,
// its history, and the golden questions.
package corpora

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/golden"
	"github.com/freshet-dev/freshet/lab/mine"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The names of the sets.
const (
	Go      = "go"      // doc comments of Go's own src
	Modules = "modules" // doc comments and headings of the modules depended on
	History = "history" // commit messages of this project
	Golden  = "golden"  // questions about documentation, written by hand
	Library = "library" // doc comments of a part of Go's src, of about 15,000 passages
)

// library are the folders of Go's src that Library is made of.
var library = []string{"crypto", "encoding", "go", "net"}

// Names lists every set.
var Names = []string{Go, Modules, History, Golden, Library}

// Config says what to make.
type Config struct {
	Out     string   // folder that gets a folder of each set
	Project string   // a checkout of this project
	Sets    []string // none stands for all
	Tasks   int      // most of each kind in a set that is made
	Seed    uint64
	// Parser starts a parser child; see freshet.Options.ParserCommand.
	Parser []string
}

// Make writes the sets, and says of each what it has. A set that cannot be made
// here, such as the history of a shallow clone, is told and left out only where
// that is the checkout's nature; everything else is an error.
func Make(ctx context.Context, c Config, told io.Writer) error {
	if len(c.Sets) == 0 {
		c.Sets = Names
	}
	for _, name := range c.Sets {
		if !slices.Contains(Names, name) {
			return document.Errorf(document.InvalidRequest, "there is no task set %q: choose of %s", name, strings.Join(Names, ", "))
		}
	}
	for _, name := range c.Sets {
		out := filepath.Join(c.Out, name)
		// Sets are made anew, never mixed with an earlier one; only what an
		// earlier run has made is removed.
		for _, old := range []string{mine.CorpusFolder, mine.TasksFile, mine.CommitsFile, golden.QuestionsFile, VersionsFile} {
			if err := os.RemoveAll(filepath.Join(out, old)); err != nil {
				return fmt.Errorf("remove the earlier set: %w", err)
			}
		}
		if err := c.set(ctx, name, out, told); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (c *Config) set(ctx context.Context, name, out string, told io.Writer) error {
	switch name {
	case Golden:
		files, tasks, err := golden.Write(ctx, out)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(told, "%-8s %5d tasks on %d files\n", name, tasks, files); err != nil {
			return err
		}
		versions, err := golden.Versions()
		if err != nil {
			return err
		}
		return writeVersions(out, versions)
	case Go:
		root, err := goEnv(ctx, c.Project, "GOROOT")
		if err != nil {
			return err
		}
		return c.mine(ctx, name, out, told, []string{mine.KindDocstring, mine.KindNone}, mine.Source{Path: filepath.Join(root, "src")})
	case Library:
		root, err := goEnv(ctx, c.Project, "GOROOT")
		if err != nil {
			return err
		}
		var list []mine.Source
		for _, folder := range library {
			list = append(list, mine.Source{Path: filepath.Join(root, "src", folder)})
		}
		if err := c.mine(ctx, name, out, told, []string{mine.KindDocstring}, list...); err != nil {
			return err
		}
		version, err := goEnv(ctx, c.Project, "GOVERSION")
		if err != nil {
			return err
		}
		return writeVersions(out, []string{version})
	case Modules:
		list, err := dependencies(ctx, c.Project)
		if err != nil {
			return err
		}
		if err := c.mine(ctx, name, out, told, []string{mine.KindDocstring, mine.KindHeading, mine.KindNone}, list...); err != nil {
			return err
		}
		return writeVersions(out, versionsOf(list))
	}
	return c.mine(ctx, name, out, told, []string{mine.KindCommit}, mine.Source{Path: c.Project})
}

func (c *Config) mine(ctx context.Context, name, out string, told io.Writer, kinds []string, sources ...mine.Source) error {
	cfg := config.Default()
	r, err := mine.Make(ctx, mine.Options{
		Config: cfg, Sources: sources, Out: out, Group: name, Kinds: kinds, Tasks: c.Tasks, Seed: c.Seed, ParserCommand: c.Parser,
	})
	if err != nil {
		return err
	}
	tasks := 0
	for _, m := range r.Made {
		tasks += m.Tasks
	}
	if _, err := fmt.Fprintf(told, "%-8s %5d tasks on %d files\n", name, tasks, r.Files); err != nil {
		return err
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(told, "%-8s %s\n", name, note); err != nil {
			return err
		}
	}
	return nil
}

// Sources are the folders that the sets Go and Modules are made of, each with the
// name that it has in a corpus of several.
func Sources(ctx context.Context, project string) ([]mine.Source, error) {
	root, err := goEnv(ctx, project, "GOROOT")
	if err != nil {
		return nil, err
	}
	list, err := dependencies(ctx, project)
	if err != nil {
		return nil, err
	}
	return append([]mine.Source{{Path: filepath.Join(root, "src"), Name: Go}}, list...), nil
}

func goEnv(ctx context.Context, dir, name string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", name)
	cmd.Dir = dir
	out, err := cmd.Output()
	value := strings.TrimSpace(string(out))
	if err != nil || value == "" {
		return "", document.Errorf(document.Unavailable, "`go env %s` does not say where that is (%w): install Go and put it into PATH", name, err)
	}
	return value, nil
}

// heavy is the size in bytes of the files of a module from which it is left out:
// one would be most of the corpus.
const heavy = 16 << 20

// later are modules that the project has come to require since its figures were
// first taken: with them the set would be another one.
var later = []string{
	"github.com/emersion/go-message", "github.com/klippa-app/go-pdfium", "github.com/modelcontextprotocol/go-sdk",
	"github.com/tetratelabs/wazero", "github.com/tiktoken-go/tokenizer", "google.golang.org/protobuf",
}

// dependencies are the modules that the project requires directly, but the later
// ones, by their folders in the module cache.
func dependencies(ctx context.Context, project string) ([]mine.Source, error) {
	list, err := required(ctx, project)
	if err != nil {
		return nil, err
	}
	var out []mine.Source
	for _, m := range list {
		size, err := sizeOf(m.Path)
		if err != nil {
			return nil, err
		}
		if size < heavy {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b mine.Source) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// required lists what one module requires directly.
func required(ctx context.Context, dir string) ([]mine.Source, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-json", "all")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	text, err := cmd.Output()
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "`go list -m all` in %s failed (%w): run `go mod download` there", dir, err)
	}
	var out []mine.Source
	for list := json.NewDecoder(strings.NewReader(string(text))); ; {
		var m struct {
			Path, Dir      string
			Main, Indirect bool
			Replace        *struct{ Path string }
		}
		err := list.Decode(&m)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the list of modules: %w", err)
		}
		if !m.Main && !m.Indirect && m.Replace == nil && m.Dir != "" && !slices.Contains(later, m.Path) {
			out = append(out, mine.Source{Path: m.Dir, Name: strings.ReplaceAll(m.Path, "/", "_")})
		}
	}
}

func sizeOf(folder string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(folder, func(_ string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("look at the module in %s: %w", folder, err)
	}
	return sum, nil
}
