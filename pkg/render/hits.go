package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// excerptWidth bounds the lines that are shown of a passage.
const excerptWidth = 110

// Places tells where the documents of an answer lie.
type Places struct {
	Folder  string // the current folder, absolute
	Sources []contract.SourceInfo
}

// Path returns how a document is named to a person: relative to the current
// folder where it lies below it, else absolute; source:path for what is no
// file on disk.
func (p Places) Path(source document.Source, path document.Path) string {
	return terminal.Printable(p.File(source, path))
}

// File is Path with the bytes that the name has on the disk, for other programs.
func (p Places) File(source document.Source, path document.Path) string {
	i := slices.IndexFunc(p.Sources, func(s contract.SourceInfo) bool { return s.Source == source })
	if i < 0 || p.Sources[i].Kind == contract.SourceBare || p.Sources[i].Kind == contract.SourceAPI {
		return string(source) + ":" + string(path)
	}
	file := filepath.Join(p.Sources[i].Root, filepath.FromSlash(path.Raw()))
	rel, err := filepath.Rel(p.Folder, file)
	if err != nil || !filepath.IsLocal(rel) {
		rel = file
	}
	return rel
}

// Link is the address of a line of a document on the disk; "" for what is no file
// there.
func (p Places) Link(source document.Source, path document.Path, line int) string {
	file := p.File(source, path)
	if i := slices.IndexFunc(p.Sources, func(s contract.SourceInfo) bool { return s.Source == source }); i < 0 || p.Sources[i].Kind == contract.SourceBare || p.Sources[i].Kind == contract.SourceAPI {
		return ""
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(p.Folder, file)
	}
	return terminal.FileLink(file, line)
}

// Hits writes one paragraph per hit: path:line of the best match, score, symbol,
// and the text that the answer has of it.
func Hits(w io.Writer, s terminal.Style, places Places, reply contract.SearchReply) error {
	for _, h := range reply.Hits {
		line := cmp.Or(h.Line, h.StartLine)
		head := s.Link(places.Link(h.Source, h.Path, line), s.Path(places.Path(h.Source, h.Path))+fmt.Sprintf(":%d", line)) + "  " + s.Number(fmt.Sprintf("%.3f", h.Score))
		if h.Confidence > 0 && len(h.Evidence) > 0 {
			head += "  " + s.Faint(fmt.Sprintf("%.0f %%", 100*h.Confidence))
		}
		if name := title(h); name != "" {
			head += "  " + s.Symbol(name)
		}
		if h.Place != nil {
			head += "  " + s.Faint(h.Place.String())
		}
		for _, at := range h.Places {
			head += "  " + s.Faint(frameOf(reply.Understood, at))
		}
		if h.Pending {
			head += "  " + s.Faint("(being indexed)")
		}
		if _, err := fmt.Fprintln(w, head); err != nil {
			return err
		}
		if err := summary(w, s, h.Summary, s.Within(len(margin), excerptWidth)); err != nil {
			return err
		}
		if err := writeText(w, s, h, s.Within(len(margin), excerptWidth)); err != nil {
			return err
		}
		if len(h.Copies) > 0 {
			if _, err := fmt.Fprintln(w, margin+s.Faint(copiesOf(places, &h))); err != nil {
				return err
			}
		}
		if err := explain(w, s, h); err != nil {
			return err
		}
	}
	return nil
}

// summary writes what a language model says of a passage, in lines of at most so many
// letters.
func summary(w io.Writer, s terminal.Style, text string, width int) error {
	p := &terminal.Printer{W: w}
	line := ""
	for _, word := range strings.Fields(terminal.Printable(text)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			p.Linef("%s%s", margin, s.Faint(line))
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	if line != "" {
		p.Linef("%s%s", margin, s.Faint(line))
	}
	return p.Err
}

// copiesListed is how many copies of a passage a person is shown.
const copiesListed = 3

// copiesOf says where else the text of a hit stands.
func copiesOf(places Places, h *contract.Hit) string {
	names, all := make([]string, 0, copiesListed+1), len(h.Copies)+h.MoreCopies
	for _, c := range h.Copies[:min(len(h.Copies), copiesListed)] {
		name := fmt.Sprintf("%s:%d", places.Path(c.Source, c.Path), c.StartLine)
		if c.Differs {
			name += " (differs a little)"
		}
		names = append(names, name)
	}
	if left := all - copiesListed; left > 0 {
		names = append(names, fmt.Sprintf("%d more", left))
	}
	return "and " + terminal.Plural(all, "copy", "copies") + ": " + strings.Join(names, ", ")
}

// Paths writes the path of each document of an answer once, in the order of its best hit,
// and those of its copies behind it.
func Paths(w io.Writer, s terminal.Style, places Places, reply contract.SearchReply) error {
	p := &terminal.Printer{W: w}
	seen := map[string]bool{}
	for _, h := range reply.Hits {
		of := []string{places.Path(h.Source, h.Path)}
		for _, c := range h.Copies {
			of = append(of, places.Path(c.Source, c.Path))
		}
		for _, path := range of {
			if !seen[path] {
				seen[path] = true
				p.Linef("%s", s.Path(path))
			}
		}
	}
	return p.Err
}

// title is the symbol of code, the last heading of prose.
func title(h contract.Hit) string {
	switch {
	case h.Symbol != "":
		return terminal.Printable(h.Symbol)
	case len(h.Headings) > 0:
		return terminal.Printable(strings.Join(h.Headings, " > "))
	}
	return ""
}

func explain(w io.Writer, s terminal.Style, h contract.Hit) error {
	if len(h.Signals) == 0 {
		return nil
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(h.Channels)) {
		c := h.Channels[name]
		parts = append(parts, fmt.Sprintf("%s #%d (%.3f)", name, c.Rank, c.Score))
	}
	for _, name := range slices.Sorted(maps.Keys(h.Signals)) {
		parts = append(parts, fmt.Sprintf("%s %.3g", name, h.Signals[name]))
	}
	_, err := fmt.Fprintln(w, "    "+s.Faint(strings.Join(parts, "  ")))
	return err
}

// Notes writes what a person should know beside the hits: what lags, what
// failed, what is degraded, and with trace the stages of the answer.
func Notes(w io.Writer, s terminal.Style, places Places, reply contract.SearchReply, trace bool) error {
	var lines []string
	for _, d := range reply.Degraded {
		lines = append(lines, s.Bad("degraded: ")+terminal.Printable(With(d, reply.Actions)))
	}
	for _, c := range reply.Corrected {
		lines = append(lines, corrected(c))
	}
	lines = append(lines, missingPlaces(reply.Understood)...)
	if u := reply.Understood; u != nil && len(u.AsText) > 0 {
		lines = append(lines, "The question stands so in what is indexed, so nothing is left out of it: "+quotedList(u.AsText))
	}
	lines = append(lines, some(reply.Pending, "being indexed: ", func(p contract.PendingPath) string { return places.Path(p.Source, p.Path) })...)
	lines = append(lines, some(reply.Failed, "failed: ", func(f contract.FailedPath) string {
		return places.Path(f.Source, f.Path) + " (" + string(f.Stage) + ": " + terminal.Printable(f.Reason) + ")"
	})...)
	if len(reply.Failed) > 0 {
		lines = append(lines, afterFailed)
	}
	if trace {
		for _, t := range reply.Trace {
			line := fmt.Sprintf("%-14s %8.2f ms  %5d → %d", t.Stage, t.MS, t.In, t.Out)
			if t.Note != "" {
				line += "  " + terminal.Printable(t.Note)
			}
			lines = append(lines, s.Faint(line))
		}
		if len(reply.Evidence) > 0 {
			var parts []string
			for _, name := range slices.Sorted(maps.Keys(reply.Evidence)) {
				parts = append(parts, fmt.Sprintf("%s %.2g", name, reply.Evidence[name]))
			}
			lines = append(lines, s.Faint("evidence       "+strings.Join(parts, "  ")))
		}
		total := fmt.Sprintf("%-14s %8.2f ms  token %s  class %s", "total", reply.TookMS, reply.Token, reply.Class)
		if reply.Confidence != nil {
			total += fmt.Sprintf("  confidence %.2f", *reply.Confidence)
		}
		lines = append(lines, s.Faint(total))
		if reply.Understood != nil {
			lines = append(lines, s.Faint("understood     "+understood(reply.Understood)))
		}
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}

// corrected says what was searched in place of a word.
func corrected(c contract.Corrected) string {
	quoted := make([]string, len(c.To))
	for i, word := range c.To {
		quoted[i] = "`" + terminal.Printable(word) + "`"
	}
	return "No passage has `" + terminal.Printable(c.From) + "`; searched " + strings.Join(quoted, " and ")
}

// afterFailed says what to do about failed documents.
const afterFailed = "`freshet dlq` lists what failed; after a fix, `freshet dlq retry --all` has it handled again"

// listed is how many entries of a list a person is shown.
const listed = 5

func some[T any](list []T, label string, name func(T) string) []string {
	var out []string
	for i, e := range list {
		if i == listed {
			return append(out, fmt.Sprintf("%sand %d more", label, len(list)-listed))
		}
		out = append(out, label+name(e))
	}
	return out
}
