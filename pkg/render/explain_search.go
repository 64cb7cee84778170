package render

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func (e *evidence) search(x *contract.SearchExplanation) {
	e.row("search", "%s of %d wanted, class %s, %d passages asked of each channel", terminal.Plural(x.Hits, "hit", "hits"), x.K, x.Class, x.Depth)
	for _, t := range x.Terms {
		held := "in the document"
		if !t.Held {
			held = e.s.Bad("not in the document")
		}
		name := terminal.Printable(t.Word)
		if !strings.EqualFold(t.Word, t.Term) {
			name += " (" + terminal.Printable(t.Term) + ")"
		}
		e.row("terms", "%s  %s, in %s of the index", name, held, terminal.Plural(t.With, "passage", "passages"))
	}
	if x.Understood != nil {
		e.row("read as", "%s", understood(x.Understood))
	}
	for _, c := range x.Corrected {
		e.row("spelling", "%s", corrected(c))
	}
	for _, t := range x.Trace {
		if t.Stage == "variants" {
			e.row("variant", "%s", terminal.Printable(t.Note))
		}
	}
	for i, p := range x.Passages {
		if i == passagesShown {
			e.row("ranks", "and %d more, see --json", len(x.Passages)-passagesShown)
			break
		}
		e.row("ranks", "%s  %s", place(p.StartLine, p.EndLine, p.Symbol, ""), e.way(p))
	}
	for _, d := range x.Degraded {
		e.row("degraded", "%s", terminal.Printable(With(d, x.Actions)))
	}
}

// way follows a passage from stage to stage.
func (e *evidence) way(p contract.PassageState) string {
	var steps []string
	for _, name := range []string{"lexical", "vector", "pending"} {
		c, ok := p.Channels[name]
		switch {
		case ok && c.Rank > 0:
			step := fmt.Sprintf("%s #%d (%.3g)", name, c.Rank, c.Score)
			if !c.Fetched {
				step = e.s.Bad(step + " too deep")
			}
			steps = append(steps, step)
		case ok && c.Beyond == 0:
			steps = append(steps, fmt.Sprintf("%s left out (%.3g)", name, c.Score))
		case ok:
			steps = append(steps, e.s.Bad(fmt.Sprintf("%s behind %s (%.3g)", name, terminal.Count(c.Beyond), c.Score)))
		case name != "pending":
			steps = append(steps, name+" –")
		}
	}
	for _, step := range []struct {
		name string
		rank int
	}{{"fused", p.Fused}, {"ranked", p.Ranked}, {"reranked", p.Reranked}, {"shown", p.Final}} {
		if step.rank > 0 {
			steps = append(steps, fmt.Sprintf("%s #%d", step.name, step.rank))
		}
	}
	text := strings.Join(steps, " → ")
	if p.Lost != "" {
		text += "  " + e.s.Bad("lost at "+p.Lost+": "+terminal.Printable(p.Why))
	}
	return text
}
