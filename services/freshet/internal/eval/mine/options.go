package mine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Options of Make.
type Options struct {
	// Config has the rules for what is indexed; its sources are of no interest.
	Config config.Config
	// Sources are folders or repositories. Of several, each becomes a folder of
	// the corpus, called after its last element.
	Sources []string
	// Out is a folder that does not exist, or an empty one.
	Out string
	// Group names what the tasks belong to; "" stands for the first source's
	// last element.
	Group string
	// Kinds are those to make; none stands for all.
	Kinds []string
	// Tasks is the most of each kind.
	Tasks int
	// PerFile is the most of one file.
	PerFile int
	// Seed chooses among what there is: the same seed and the same sources give
	// the same tasks.
	Seed uint64
	// ParserCommand is as in freshet.Options.
	ParserCommand []string
	// Progress is told what is done, and how far; total is 0 where it is not
	// known. It may be nil, and is called by one goroutine at a time.
	Progress func(doing string, done, total int)
}

// SetDefaults fills in what is zero, the seed left aside.
func (o *Options) SetDefaults() {
	if len(o.Kinds) == 0 {
		o.Kinds = slices.Clone(Kinds)
	}
	if o.Tasks == 0 {
		o.Tasks = 200
	}
	if o.PerFile == 0 {
		o.PerFile = 2
	}
	if o.Group == "" && len(o.Sources) > 0 {
		o.Group = baseName(o.Sources[0])
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// Validate returns the first error of kind InvalidRequest.
func (o *Options) Validate() error {
	switch {
	case len(o.Sources) == 0:
		return document.Errorf(document.InvalidRequest, "no source is named: name a folder or a git repository")
	case o.Out == "":
		return document.Errorf(document.InvalidRequest, "there is no folder for the tasks: name one with --out")
	case o.Tasks < 1:
		return document.Errorf(document.InvalidRequest, "%d tasks of each kind are asked for: use at least 1", o.Tasks)
	case o.PerFile < 1:
		return document.Errorf(document.InvalidRequest, "%d tasks of each file are asked for: use at least 1", o.PerFile)
	}
	for _, k := range o.Kinds {
		if !slices.Contains(Kinds, k) {
			return document.Errorf(document.InvalidRequest, "there is no kind of task %q: choose of %s", k, strings.Join(Kinds, ", "))
		}
	}
	names := map[string]string{}
	for _, s := range o.Sources {
		name := baseName(s)
		if other, twice := names[name]; twice {
			return document.Errorf(document.InvalidRequest, "%s and %s would both become the folder %s of the corpus: make the tasks of one of them apart", other, s, name)
		}
		names[name] = s
	}
	return nil
}

func (o *Options) wants(kind string) bool { return slices.Contains(o.Kinds, kind) }

// prefix is the folder of a source in the corpus.
func (o *Options) prefix(source string) string {
	if len(o.Sources) == 1 {
		return ""
	}
	return baseName(source)
}

// baseName is the last element of a path; what it stands for where that is "."
// or the like.
func baseName(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	return filepath.Base(p)
}
