package eval

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// span is a range of lines, both ends included.
type span struct{ start, end int }

// Sections returns the tasks with the lines of the sections that their targets
// name by a heading, as the index has the documents now: a small section shares
// its passage with others, which are not headed by it. It is to be called after
// Ask, since it warms caches. A heading that its document lacks is an error; a
// document that is not indexed is none.
func Sections(ctx context.Context, nc *nats.Conn, tasks []Task, o Options) ([]Task, error) {
	o.SetDefaults()
	s := sections{nc: nc, o: &o, documents: map[string][]string{}}
	out := slices.Clone(tasks)
	for i := range out {
		t := &out[i]
		t.Relevant = slices.Clone(t.Relevant)
		for j := range t.Relevant {
			g := &t.Relevant[j]
			if g.Heading == "" {
				continue
			}
			if err := o.reach(ctx, t); err != nil {
				return nil, err
			}
			lines, err := s.document(ctx, t, *g)
			if err != nil {
				return nil, err
			}
			if g.spans = sectionsOf(lines, g.Heading); len(g.spans) == 0 && len(lines) > 0 {
				return nil, t.wrong("%s has no heading %q: correct it, or give lines", g.Path, g.Heading)
			}
		}
	}
	return out, nil
}

type sections struct {
	nc        *nats.Conn
	o         *Options
	documents map[string][]string // lines by source, path and commit
}

// mostPassages is the number of passages that a document is put together from;
// the most that a search gives by default.
const mostPassages = 1000

// document puts a document together from its passages, none for one that is not
// indexed. Its lines count from 0; blank ones may be missing.
func (s *sections) document(ctx context.Context, t *Task, g Target) ([]string, error) {
	req := s.o.request(t, mostPassages)
	key := strings.Join([]string{g.Path, t.Root, t.Commit, join(req.Filter.Sources)}, "\x00")
	if lines, known := s.documents[key]; known {
		return lines, nil
	}
	req.Query, req.Off, req.Text = g.Heading, nil, contract.TextFull
	for _, p := range g.paths(t.Root) {
		req.Filter.Paths = append(req.Filter.Paths, globLiteral(p))
	}
	rep, err := client.Search.Ask(ctx, s.nc, req)
	if err != nil {
		return nil, t.wrong("the heading %q of %s cannot be looked for (%w): give lines", g.Heading, g.Path, err)
	}
	at := map[int]string{}
	for _, h := range rep.Hits {
		if !slices.Contains(g.paths(t.Root), h.Path.Raw()) {
			continue
		}
		for i, line := range strings.Split(h.Text, "\n") {
			// A passage may begin and end within a line; the longer one is right.
			if n := h.StartLine - 1 + i; len(line) > len(at[n]) {
				at[n] = line
			}
		}
	}
	var lines []string
	if len(at) > 0 {
		lines = make([]string, slices.Max(slices.Collect(maps.Keys(at)))+1)
	}
	for n, line := range at {
		lines[n] = line
	}
	s.documents[key] = lines
	return lines, nil
}

// globLiteral is a path filter that means this path and no pattern.
func globLiteral(p string) string {
	return regexp.MustCompile(`[\\*?\[\]{}]`).ReplaceAllString(string(document.EncodePath(p)), `\$0`)
}

func join[T ~string](list []T) string {
	out := ""
	for _, s := range list {
		out += string(s) + " "
	}
	return out
}

var (
	atxHeading = regexp.MustCompile(`^ {0,3}(#{1,6}|={1,6})[ \t]+(.*?)[ \t]*#*$`)
	underline  = regexp.MustCompile(`^ {0,3}(=+|-+|~+)[ \t]*$`)
	fence      = regexp.MustCompile("^ {0,3}(```|~~~)")
)

// sectionsOf returns the sections below a heading, each up to the next heading of
// its level or a higher one.
func sectionsOf(lines []string, heading string) []span {
	var out []span
	open := map[int]int{} // index in out by level
	fenced := false
	for i, line := range lines {
		if fence.MatchString(line) {
			fenced = !fenced
		}
		level, text := headingAt(lines, i)
		if fenced || level == 0 {
			continue
		}
		for l, n := range open {
			if l >= level {
				out[n].end = i // the line before this one, from 1
				delete(open, l)
			}
		}
		if bare(text) == bare(heading) {
			open[level] = len(out)
			out = append(out, span{i + 1, len(lines)})
		}
	}
	return out
}

// headingAt returns the level and text of the heading that a line is, level 0
// for none.
func headingAt(lines []string, i int) (level int, text string) {
	if m := atxHeading.FindStringSubmatch(lines[i]); m != nil {
		return len(m[1]), m[2]
	}
	if i+1 == len(lines) || strings.TrimSpace(lines[i]) == "" {
		return 0, ""
	}
	if m := underline.FindStringSubmatch(lines[i+1]); m != nil {
		return 1 + strings.Index("=-~", m[1][:1]), strings.TrimSpace(lines[i])
	}
	return 0, ""
}

// markup is what a heading may be written with: a link's target, a tag, an
// anchor, marks of code and emphasis, and the backslash before one.
var markup = regexp.MustCompile("\\]\\([^)]*\\)|<[^>]*>|\\{#[^}]*\\}|[`*\\\\\\[\\]]|__")

// bare is a heading without its markup, as a person who cites it may write it.
func bare(heading string) string {
	return strings.ToLower(strings.Join(strings.Fields(markup.ReplaceAllString(heading, "")), " "))
}
