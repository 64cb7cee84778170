package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// unsupported marks a sentence that its passages do not say.
const unsupported = "(?)"

// classes are what questions of a class ask for, of those that get more passages.
var classes = map[string]string{contract.ClassOverview: "an overview", contract.ClassList: "a list"}

// Answer writes the answer of a language model while it comes: the sentences on Out, and
// what they rest on behind them. It is for one goroutine.
type Answer struct {
	Out, Notes        io.Writer
	Style, NotesStyle terminal.Style // of the two
	Places            Places

	sources []contract.ContextPassage
	cited   []int
	open    bool // the line on Out has not ended
}

// Part writes the next part.
func (a *Answer) Part(p contract.AnswerPart) error {
	switch {
	case p.Sentence != nil:
		return a.sentence(p.Sentence)
	case p.Summary != nil:
		return a.summary(p.Summary)
	}
	a.sources = p.Sources
	return nil
}

func (a *Answer) sentence(s *contract.AnswerSentence) error {
	body := strings.TrimRight(s.Text, " \t\r\n")
	space := s.Text[len(body):]
	var lines []string
	for line := range strings.SplitSeq(body, "\n") {
		lines = append(lines, terminal.Printable(line))
	}
	text := strings.Join(lines, "\n")
	if !s.Supported {
		text += " " + a.Style.Bad(unsupported)
	}
	for _, n := range s.Cites {
		if !slices.Contains(a.cited, n) {
			a.cited = append(a.cited, n)
		}
	}
	a.open = !strings.Contains(space, "\n")
	_, err := fmt.Fprint(a.Out, text+strings.ReplaceAll(space, "\r", ""))
	return err
}

// summary ends the answer: the passages that it rests on, and what a person should know.
func (a *Answer) summary(sum *contract.AnswerSummary) error {
	p := &terminal.Printer{W: a.Out}
	if a.open {
		p.Linef("")
	}
	slices.Sort(a.cited)
	for i, n := range a.cited {
		if i == 0 {
			p.Linef("")
		}
		at := slices.IndexFunc(a.sources, func(s contract.ContextPassage) bool { return s.N == n })
		if at < 0 {
			continue
		}
		s := &a.sources[at]
		name := s.Symbol
		if name == "" {
			name = strings.Join(s.Headings, " > ")
		}
		p.Linef("[%d] %s  %s", n, a.Style.Path(fmt.Sprintf("%s:%d-%d", terminal.Printable(string(s.Path)), s.StartLine, s.EndLine)), a.Style.Symbol(terminal.Printable(name)))
	}
	if p.Err != nil {
		return p.Err
	}
	err := Notes(a.Notes, a.NotesStyle, a.Places, contract.SearchReply{Degraded: sum.Degraded, Actions: sum.Actions, Pending: sum.Pending, Failed: sum.Failed}, false)
	if err != nil {
		return err
	}
	p = &terminal.Printer{W: a.Notes}
	if plan := sum.Plan; plan != nil && plan.Preset != "" {
		p.Linef("up to %d passages were read, as the question is one for %s", contract.Presets[plan.Preset], classes[plan.Class])
	}
	if plan := sum.Plan; plan != nil && len(plan.Wordings) > 0 {
		p.Linef("searched as well: %s", terminal.Printable(strings.Join(plan.Wordings, "; ")))
	} else if plan != nil && plan.Why == contract.PlanLate {
		p.Linef("the model proposed no other wordings of the question in time: allow it more with query.answer.planning, or ask for none with query.answer.wordings: 1")
	}
	switch sum.Outcome {
	case contract.AnswerRefused:
		p.Linef("nothing relevant here, probably, so that no model was asked to answer: use words that the sources use")
	case contract.AnswerUnknown:
		p.Linef("the passages do not hold the answer, says %s: see them with `freshet context`", terminal.Printable(sum.Model))
	}
	if sum.Unsupported > 0 {
		p.Linef("%s of %d: what is marked %s is not in the passages that it names", terminal.Plural(sum.Unsupported, "sentence", "sentences"), sum.Sentences, unsupported)
	}
	if sum.Cut {
		p.Linef("the answer ends where the model may write no more: raise query.answer.max_tokens")
	}
	if u := sum.Usage; u != nil {
		counted := ""
		if !u.Counted {
			counted = ", counted here"
		}
		if u.Cost != nil {
			counted += fmt.Sprintf(", cost %.4g", *u.Cost)
		}
		p.Linef("%s", a.NotesStyle.Faint(fmt.Sprintf("%s read and %s written by %s%s", terminal.Plural(u.In, "token", "tokens"), terminal.Count(u.Out), terminal.Printable(sum.Model), counted)))
	}
	return p.Err
}
