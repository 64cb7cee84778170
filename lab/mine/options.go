package mine

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Source is a folder or repository.
type Source struct {
	Path string
	// Name is that of its folder in a corpus of several; "" stands for the last
	// element of Path.
	Name string
}

func (s Source) name() string {
	if s.Name != "" {
		return s.Name
	}
	if abs, err := filepath.Abs(s.Path); err == nil {
		return filepath.Base(abs)
	}
	return filepath.Base(s.Path)
}

// Options of Make.
type Options struct {
	// Config has the rules for what is indexed; its sources are of no interest.
	Config config.Config
	// Sources are what the tasks are made of. Of several, each becomes a folder
	// of the corpus.
	Sources []Source
	// Out is a folder that does not exist, or an empty one.
	Out string
	// Group names what the tasks belong to; "" stands for the source's name. Of
	// several sources, each is a group of its own, with this before its name.
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
	if o.Group == "" && len(o.Sources) == 1 {
		o.Group = o.Sources[0].name()
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
		if other, twice := names[s.name()]; twice {
			return document.Errorf(document.InvalidRequest, "%s and %s would both become the folder %s of the corpus: make the tasks of one of them apart", other, s.Path, s.name())
		}
		names[s.name()] = s.Path
	}
	return nil
}

func (o *Options) wants(kind string) bool { return slices.Contains(o.Kinds, kind) }

// prefix is the folder of a source in the corpus.
func (o *Options) prefix(s Source) string {
	if len(o.Sources) == 1 {
		return ""
	}
	return s.name()
}

// group is what the tasks of a file of the corpus belong to.
func (o *Options) group(name string) string {
	if len(o.Sources) == 1 {
		return o.Group
	}
	source, _, _ := strings.Cut(name, "/")
	return strings.TrimPrefix(o.Group+"/"+source, "/")
}

// paths are those of the sources.
func (o *Options) paths() []string {
	var out []string
	for _, s := range o.Sources {
		out = append(out, s.Path)
	}
	return out
}

// ofCorpus reports whether a kind is wanted that asks about files as they are.
func (o *Options) ofCorpus() bool {
	return o.wants(KindDocstring) || o.wants(KindHeading) || o.wants(KindNone)
}
