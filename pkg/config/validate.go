package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Problem is one setting that cannot work.
type Problem struct {
	Path    string // "watcher.debounce"
	Message string // what is wrong and what to write instead
	// Variable is the environment variable that set it, "" when none did.
	Variable string
	unset    bool // it is zero, or below
}

// Problems are all settings that cannot work.
type Problems struct {
	File string // "" when the configuration is not from a file
	List []Problem
}

// Error returns one line per problem.
func (p *Problems) Error() string {
	lines := make([]string, len(p.List))
	for i, e := range p.List {
		lines[i] = e.Path + " " + e.Message
		if from := cmp.Or(e.Variable, p.File); from != "" {
			lines[i] = from + ": " + lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

// from notes where the settings are from: a file, and variables by key.
func (p *Problems) from(file string, variables map[string]string) {
	p.File = file
	for i, e := range p.List {
		p.List[i].Variable = variables[e.Path]
	}
}

// Unwrap gives the kind, InvalidRequest.
func (p *Problems) Unwrap() error {
	return document.Errorf(document.InvalidRequest, "%s", p.Error())
}

// Validate returns nil or a *Problems with everything that is wrong.
func (c Config) Validate() error {
	p := &Problems{}
	p.limits(reflect.ValueOf(c), "")
	p.network(c.NATS)
	p.stores(c)
	p.rerank(c.Query.Rerank)
	p.answer(c.Query.Answer)
	p.priorities(c.Query.Priorities)
	p.strategies(c.Chunker.Strategies)
	p.health(c.Health)
	p.gateway(c.Gateway)
	p.embedder("embedder", c.Embedder)
	p.collections(c)
	p.servers(c)
	p.outgoing(c.Outgoing)
	p.secrets(reflect.ValueOf(c))
	p.sources(c.Sources)
	p.agents(c.Agents)
	if c.Access.File != "" && c.NATS.Open {
		p.addf("access.file", "is set, and nats.open lets everybody in without saying who they are: leave one of them out")
	}
	p.relations(c)
	if len(p.List) == 0 {
		return nil
	}
	return p
}

// Filled returns nil or a *Problems with the settings of a section that were left
// out where the configuration was made in code: what is zero and must not be, and
// what is none of the words that there are. A service asks for its section, by the
// name that it has in the file. Other limits are for people, who are told by
// Validate.
func Filled(section string, v any) error {
	all := &Problems{}
	all.limits(reflect.ValueOf(v), section)
	p := &Problems{}
	for _, e := range all.List {
		if e.unset {
			p.List = append(p.List, e)
		}
	}
	if len(p.List) == 0 {
		return nil
	}
	return p
}

func (p *Problems) addf(path, format string, args ...any) {
	p.List = append(p.List, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

// limits checks the tags min, max and enum of every field.
func (p *Problems) limits(v reflect.Value, at string) {
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		path := join(at, tag.Get("yaml"))
		switch f.Kind() {
		case reflect.Struct:
			p.limits(f, path)
			continue
		case reflect.Slice:
			for j := range f.Len() {
				if e := f.Index(j); e.Kind() == reflect.Struct {
					p.limits(e, fmt.Sprintf("%s[%d]", path, j))
				}
			}
			continue
		}
		if values := tag.Get("enum"); values != "" {
			if all := strings.Split(values, ","); !slices.Contains(all, f.String()) {
				p.addf(path, "is %q: use %s", f, strings.Join(all, ", "))
				p.List[len(p.List)-1].unset = true
			}
		}
		low, high := tag.Get("min"), tag.Get("max")
		if tooSmall, tooLarge := outside(f, low, high); tooSmall || tooLarge {
			p.addf(path, "is %s: use %s", show(f), allowed(low, high))
			p.List[len(p.List)-1].unset = tooSmall && !positive(f)
		}
	}
}

func outside(f reflect.Value, low, high string) (tooSmall, tooLarge bool) {
	limit := reflect.New(f.Type()).Elem()
	less := func(a, b reflect.Value) bool {
		if a.CanInt() {
			return a.Int() < b.Int()
		}
		return !(a.Float() >= b.Float()) // so that what is no number is too small
	}
	if low != "" && setScalar(limit, low) == nil {
		tooSmall = less(f, limit)
	}
	if high != "" && setScalar(limit, high) == nil {
		tooLarge = less(limit, f)
	}
	return tooSmall, tooLarge
}

func positive(f reflect.Value) bool {
	if f.CanInt() {
		return f.Int() > 0
	}
	return f.Float() > 0
}

func allowed(low, high string) string {
	switch {
	case low == "":
		return "at most " + high
	case high == "":
		return "at least " + low
	}
	return low + " to " + high
}

// show returns the text form that YAML has.
func show(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return shortDuration(x)
	case Size:
		return x.String()
	}
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return strconv.Quote(v.String())
	}
	return fmt.Sprint(v.Interface())
}

// shortDuration leaves out zero parts: "10m", not "10m0s".
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

func (p *Problems) agents(a Agents) {
	if a.Remember != "" {
		if _, err := document.ParseSource(a.Remember); err != nil {
			p.addf("agents.remember", "is %q: use 1 to 64 of a-z, 0-9, _ and -, as the name of a source", a.Remember)
		}
	}
	for i, root := range a.Roots {
		if !filepath.IsAbs(root) {
			p.addf(fmt.Sprintf("agents.roots[%d]", i), "is %q: use an absolute path", root)
		} else if filepath.Clean(root) == "/" {
			p.addf(fmt.Sprintf("agents.roots[%d]", i), "is /: name the folders that projects lie in")
		}
	}
}

func (p *Problems) sources(list []Source) {
	names := map[string]int{}
	for i, s := range list {
		at := fmt.Sprintf("sources[%d]", i)
		switch {
		case s.Remote != "" && s.Root != "":
			p.addf(at+".remote", "stands beside root: name the folder, or the address of the repository")
		case s.Remote != "":
			if err := giturl.Check(s.Remote); err != nil {
				p.addf(at+".remote", "cannot be fetched: %v", err)
			}
		case s.Root == "":
			p.addf(at+".root", "is missing: name a folder or a git repository, or the remote of one")
		case !filepath.IsAbs(s.Root):
			p.addf(at+".root", "is %q: use an absolute path", s.Root)
		}
		if err := pathset.CheckExcludes(s.Exclude); err != nil {
			p.addf(at+".exclude", "has %v", err)
		}
		if s.Name == "" {
			continue
		}
		if _, err := document.ParseSource(s.Name); err != nil {
			p.addf(at+".name", "is %q: use 1 to 64 of a-z, 0-9, - and _", s.Name)
		}
		if first, twice := names[s.Name]; twice {
			p.addf(at+".name", "is %q, as that of sources[%d]: give each its own", s.Name, first)
		}
		names[s.Name] = i
	}
}

// relations checks what limits of single keys cannot say.
func (p *Problems) relations(c Config) {
	if c.Watcher.MaxDebounce < c.Watcher.Debounce {
		p.addf("watcher.max_debounce", "is %s, below watcher.debounce of %s: raise it", shortDuration(c.Watcher.MaxDebounce), shortDuration(c.Watcher.Debounce))
	}
	if c.Chunker.Max < c.Chunker.Target {
		p.addf("chunker.max", "is %d, below chunker.target of %d: raise it", c.Chunker.Max, c.Chunker.Target)
	}
	if c.Chunker.Overlap > c.Chunker.Prose/2 {
		p.addf("chunker.overlap", "is %d: use at most %d, half of chunker.prose", c.Chunker.Overlap, c.Chunker.Prose/2)
	}
	if c.Query.MaxK < c.Query.K {
		p.addf("query.max_k", "is %d, below query.k of %d: raise it", c.Query.MaxK, c.Query.K)
	}
	if c.Query.MaxOverfetch < c.Query.Overfetch {
		p.addf("query.max_overfetch", "is %d, below query.overfetch of %d: raise it", c.Query.MaxOverfetch, c.Query.Overfetch)
	}
	for _, d := range []struct {
		key   string
		value time.Duration
	}{{"deadline", c.Query.Deadline}, {"channel_deadline", c.Query.ChannelDeadline}, {"embed_deadline", c.Query.EmbedDeadline}} {
		if d.value > c.Query.MaxDeadline {
			p.addf("query."+d.key, "is %s, above query.max_deadline of %s: lower it", shortDuration(d.value), shortDuration(c.Query.MaxDeadline))
		}
	}
}
