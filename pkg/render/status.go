package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Status writes the state of the whole.
func Status(w io.Writer, s terminal.Style, st contract.StatusReply) error {
	p := &terminal.Printer{W: w}
	state := s.Good("ready")
	if !st.Ready {
		state = s.Bold("indexing")
	}
	p.Linef("%s  %s, %s  token %s  version %s", state, terminal.Plural(st.Documents, "document", "documents"), terminal.Plural(st.Chunks, "passage", "passages"), orNone(st.Token.String()), st.Version)
	for _, stage := range contract.Stages {
		if n := st.Pending[stage]; n > 0 {
			p.Linef("waiting for %s: %s", stage, terminal.Plural(n, "document", "documents"))
		}
	}
	for _, d := range st.Degraded {
		p.Linef("%s%s", s.Bad("degraded: "), terminal.Printable(With(d, st.Actions)))
	}
	for _, line := range some(st.Failed, "failed: ", func(f contract.FailedPath) string {
		return terminal.Printable(string(f.Source) + ":" + string(f.Path) + " (" + string(f.Stage) + ": " + f.Reason + ")")
	}) {
		p.Linef("%s", line)
	}
	if len(st.Failed) > 0 {
		p.Linef("%s", afterFailed)
	}
	if p.Err == nil {
		p.Err = NextBuild(w, st.Next)
	}
	if len(st.Skipped) > 0 {
		var parts []string
		for _, reason := range slices.Sorted(maps.Keys(st.Skipped)) {
			parts = append(parts, fmt.Sprintf("%s: %s", terminal.Printable(reason), terminal.Count(st.Skipped[reason])))
		}
		p.Linef("skipped  %s", strings.Join(parts, ", "))
	}
	if st.EndsIdleMS > 0 {
		p.Linef("ends when nobody has asked for %s", time.Duration(st.EndsIdleMS)*time.Millisecond)
	}
	if p.Err != nil {
		return p.Err
	}
	// What is wrong with a source is among st.Degraded.
	if err := table(w, s, st.Sources); err != nil {
		return err
	}
	for _, name := range contract.Streams {
		if i, ok := st.Streams[name]; ok {
			p.Linef("%s  %s messages, %s", s.Faint(fmt.Sprintf("%-8s", name)), terminal.Count(i.Messages), terminal.Bytes(i.Bytes))
		}
	}
	if sp := spentOf(st.Reports); sp != nil {
		p.Linef("%s  %s", s.Faint("vectors "), spentLine(sp))
	}
	if line := withheld(st.Reports); line != "" {
		p.Linef("%s  %s, since the start", s.Faint("withheld"), line)
	}
	if m := st.Summaries; m != nil {
		p.Linef("%s  %s", s.Faint("passages"), summarized(m))
	}
	if v := st.Verify; v != nil {
		p.Linef("%s  %s, begun %s", s.Faint("verified"), outcome(s, *v), v.Started.Local().Format("2006-01-02 15:04"))
		gaps(p, s, *v)
	}
	if r := st.Reranker; r != nil && r.Trouble == "" {
		p.Linef("%s  of %s, %s trees; %s %.3f → %.3f on %s held back", s.Faint("learned "), r.Trained.Local().Format("2006-01-02 15:04"), terminal.Count(r.Trees), terminal.Printable(r.Merit.Measure), r.Merit.Before, r.Merit.After, terminal.Plural(r.Merit.Tasks, "task", "tasks"))
	}
	if k := st.KeptRanking; k != nil && k.Trouble == "" {
		p.Linef("%s  %s", s.Faint("ranking "), KeptRanking(*k))
	}
	return p.Err
}

// KeptRanking says in a line how answers are ordered and withheld over what is configured.
func KeptRanking(k contract.KeptRanking) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(k.Ranking)) {
		parts = append(parts, terminal.Printable(key+"="+k.Ranking[key]))
	}
	if k.MinConfidence > 0 {
		parts = append(parts, fmt.Sprintf("min_confidence=%v", k.MinConfidence))
	}
	line := strings.Join(parts, ", ") + ", kept " + k.Time.Local().Format("2006-01-02 15:04")
	if k.By != "" {
		line += " by " + terminal.Printable(k.By)
	}
	if k.Note != "" {
		line += ": " + terminal.Printable(k.Note)
	}
	return line
}

// summarized says how far a language model has summarized the passages.
func summarized(m *contract.SummariesState) string {
	line := fmt.Sprintf("of %s summarized by %s, %s left; %s of %s tokens today", terminal.Plural(m.Documents, "document", "documents"),
		terminal.Printable(m.Model), terminal.Count(m.Left), terminal.Count(m.Tokens), terminal.Count(m.PerDay))
	switch m.Waits {
	case contract.SummariesSpent:
		line += ": goes on at midnight UTC, or with more under query.answer.summaries"
	case contract.SummariesFailed:
		line += "; the model is asked again: " + terminal.Printable(m.Error)
	}
	return line
}

// withheld says what servers were not sent of texts with secrets; "" where there were
// none.
func withheld(reports []contract.Report) string {
	sum := func(counter string) (n int) {
		for _, r := range reports {
			n += int(r.Counters[counter])
		}
		return n
	}
	var parts []string
	if n := sum("secrets_redacted"); n > 0 {
		parts = append(parts, "secrets in "+terminal.Plural(n, "text", "texts"))
	}
	if n := sum("secrets_skipped"); n > 0 {
		parts = append(parts, terminal.Plural(n, "passage", "passages")+" with secrets")
	}
	if n := sum("secrets_refused"); n > 0 {
		parts = append(parts, terminal.Plural(n, "document", "documents")+" with secrets")
	}
	return strings.Join(parts, ", ")
}

// spentOf is what the embedders have spent together, as the one says that has noted
// the most; nil where none asks a server.
func spentOf(reports []contract.Report) (most *contract.Spent) {
	for _, r := range reports {
		if r.Spent != nil && (most == nil || r.Spent.AllTokens > most.AllTokens) {
			most = r.Spent
		}
	}
	return most
}

// spentLine says what servers of vectors have read, and what that has cost.
func spentLine(sp *contract.Spent) string {
	line := fmt.Sprintf("%s tokens, %.2f today", terminal.Count(sp.Tokens), sp.Cost)
	if sp.Budget > 0 {
		line += fmt.Sprintf(" of %.2f", sp.Budget)
	}
	return fmt.Sprintf("%s; %s tokens, %.2f in all", line, terminal.Count(sp.AllTokens), sp.AllCost)
}

// Sources writes one line per source, and below it what is wrong with it.
func Sources(w io.Writer, s terminal.Style, list []contract.SourceInfo) error {
	if err := table(w, s, list); err != nil {
		return err
	}
	p := &terminal.Printer{W: w}
	for _, i := range list {
		if len(i.Exclude) > 0 {
			p.Linef("%s", s.Faint(terminal.Printable(string(i.Source)+": leaves out "+strings.Join(i.Exclude, "  "))))
		}
		if i.Held != "" {
			p.Linef("%s%s", s.Bad(string(i.Source)+": held: "), terminal.Printable(With(i.Held, i.Actions)))
		}
		for _, d := range i.Degraded {
			p.Linef("%s%s", s.Bad(string(i.Source)+": "), terminal.Printable(With(d, i.Actions)))
		}
	}
	return p.Err
}

// leastRoot is how much of a source's root is seen however narrow the terminal is.
const leastRoot = 12

// table writes a row for each source. Where the terminal is too narrow, the beginnings
// of the roots are left out.
func table(w io.Writer, s terminal.Style, list []contract.SourceInfo) error {
	rows, widest := make([][]string, len(list)), [6]int{}
	for n, i := range list {
		view := string(i.View)
		if i.Branch != "" && i.Branch != view {
			view += " (" + i.Branch + ")"
		}
		rows[n] = []string{string(i.Source), orNone(terminal.Printable(cmp.Or(i.Remote, i.Root))), i.Kind, terminal.Printable(view), terminal.Plural(i.Documents, "document", "documents"), watching(i)}
		for c, cell := range rows[n] {
			widest[c] = max(widest[c], utf8.RuneCountInString(cell))
		}
	}
	beside := 2 * (len(widest) - 1)
	for c, width := range widest {
		if c != 1 {
			beside += width
		}
	}
	root := max(s.Within(beside, widest[1]), leastRoot)
	t := tabwriter.NewWriter(s.Fit(w), 0, 0, 2, ' ', 0)
	p := &terminal.Printer{W: t}
	for _, row := range rows {
		row[1] = terminal.ShortenStart(row[1], root)
		p.Linef("%s", strings.Join(row, "\t"))
	}
	if p.Err == nil {
		p.Err = t.Flush()
	}
	return p.Err
}

func watching(i contract.SourceInfo) string {
	switch {
	case i.Held != "":
		return "held"
	case !i.Watched:
		return "not watched"
	case i.Scanning:
		return "watched, being compared"
	}
	return "watched"
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
