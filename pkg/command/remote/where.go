package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// pathUsage says what --path takes.
const pathUsage = "only below this folder of a source, or matching this `glob`; with ./, ../ or / from the current folder (may be repeated)"

// allUsage says what --all does.
const allUsage = "ask all watched sources, also from within one of them"

// namesSource tells a question that says itself which source it is about.
var namesSource = regexp.MustCompile(`(?:^|[\s(])-?source:\S`)

// standpoint is where the caller of a command stands among the sources.
type standpoint struct {
	*command.Program
	places render.Places
	all    bool // ask all of them all the same
}

func standing(p *command.Program, places render.Places, all bool) standpoint {
	return standpoint{p, places, all}
}

// where narrows a question to where the caller stands: paths of the filter that
// say so are those of the current folder, and from within a watched source a
// question that names none is about that one. It says so, where there are others.
func (s standpoint) where(filter *contract.Filter, query string) error {
	if err := fromHere(filter, s.places); err != nil {
		return err
	}
	if s.all || len(filter.Sources) > 0 || namesSource.MatchString(query) {
		return nil
	}
	here, _, ok := named.Holding(s.places.Sources, named.OnDisk("."))
	watched := 0
	for _, known := range s.places.Sources {
		if known.Watched {
			watched++
		}
	}
	if !ok || !here.Watched || watched < 2 {
		return nil
	}
	filter.Sources = []document.Source{here.Source}
	_, err := fmt.Fprintln(s.Stderr, terminal.StyleFor(s.Stderr).Faint(fmt.Sprintf("in %s, the source around the current folder; --all asks all %d", here.Source, watched)))
	return err
}

// about narrows a question that is asked once more because of a document, as
// where did when it was asked first; from within another source it was not.
func (s standpoint) about(filter *contract.Filter, query, path string) error {
	source, _, err := named.Within(s.places.Sources, path)
	here, _, ok := named.Holding(s.places.Sources, named.OnDisk("."))
	s.all = err != nil || !ok || source != here.Source
	return s.where(filter, query)
}

// narrow lets a filter through what the arguments of a command name, or what is
// meant without any from where the caller stands.
func (s standpoint) narrow(filter *contract.Filter, paths []string) error {
	if len(paths) == 0 {
		return s.where(filter, "")
	}
	if s.all {
		return document.Errorf(document.InvalidRequest, "PATH says already where to look: leave --all out")
	}
	if len(filter.Sources)+len(filter.Paths) > 0 {
		return document.Errorf(document.InvalidRequest, "PATH says already where to look: give either PATH, or --source and --path")
	}
	var first document.Source
	for i, arg := range paths {
		source, path, err := named.Within(s.places.Sources, arg)
		if err != nil {
			return err
		}
		if i > 0 && source != first {
			return document.Errorf(document.InvalidRequest, "%s and %s lie in different sources: ask for one source at a time, or for several with --source", paths[0], arg)
		}
		if first = source; path == "" {
			path = "."
		}
		filter.Paths = append(filter.Paths, path)
	}
	if first != "" {
		filter.Sources = []document.Source{first}
	}
	return nil
}

// fromHere makes paths of a filter relative to their source that are meant from
// the current folder: absolute ones, those that begin with . or .., and names of
// what lies here where a source does not have its root.
func fromHere(filter *contract.Filter, places render.Places) error {
	here, below, inside := named.Holding(places.Sources, named.OnDisk("."))
	for i, path := range filter.Paths {
		anchored := filepath.IsAbs(path) || path == "." || path == ".." || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../")
		switch {
		case anchored && (inside || path != "." && path != "./"):
		case inside && below != "." && isHere(path) && asks(filter.Sources, here.Source):
		default:
			continue // as it is called in its source
		}
		source, rel, ok := named.Holding(places.Sources, named.OnDisk(path))
		if !ok && !filepath.IsAbs(path) && len(places.Sources) == 0 {
			continue // nobody says what the sources are
		}
		if !ok {
			return document.Errorf(document.NotFound, "%s lies in no source: see `freshet source list`", path)
		}
		if !asks(filter.Sources, source.Source) {
			return document.Errorf(document.InvalidRequest, "%s lies in the source %s, and another one is asked for: leave one of them away", path, source.Source)
		}
		filter.Sources, filter.Paths[i] = []document.Source{source.Source}, rel
	}
	return nil
}

// isHere reports whether something of this name lies in the current folder.
func isHere(name string) bool {
	_, err := os.Lstat(filepath.FromSlash(name))
	return err == nil
}

func asks(sources []document.Source, one document.Source) bool {
	return len(sources) == 0 || slices.Contains(sources, one)
}
