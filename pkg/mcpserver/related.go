package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// RelatedArgs are the arguments of the tool related.
type RelatedArgs struct {
	Path      string   `json:"path" jsonschema:"path:line of the passage"`
	Line      int      `json:"line,omitempty" jsonschema:"line, where path does not say it"`
	Relations []string `json:"relations,omitempty" jsonschema:"only these of calls, called_by, tests, near"`
	Source    string   `json:"source,omitempty" jsonschema:"source of the document, where the path does not say it"`
	Limit     int      `json:"limit,omitempty" jsonschema:"passages of each relation, 1 to 50; default 5"`
	Snippet   *int     `json:"snippet_lines,omitempty" jsonschema:"lines of text a passage; 0: none; -1: all; default 3"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"tokens of the answer, 200 to 24000; default 2000"`
	Token     string   `json:"token,omitempty" jsonschema:"wait until this token of an answer is searchable; latest: everything accepted"`
	Lease     string   `json:"lease,omitempty" jsonschema:"new, or the lease of an answer: says what of all that was given under it has changed since"`
}

// RelatedOut is the answer of related as a structure.
type RelatedOut struct {
	Of      RelatedOf `json:"of" jsonschema:"the passage that was asked about"`
	Related []Related `json:"related"`
	Common
}

// RelatedOf is the passage that was asked about.
type RelatedOf struct {
	Path      string   `json:"path"`
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	Names     []string `json:"names,omitempty" jsonschema:"that it defines"`
	Pending   bool     `json:"pending,omitempty"`
}

// Related is a passage that has to do with another.
type Related struct {
	Why []string `json:"why" jsonschema:"calls NAME, called_by NAME, tests NAME, near"`
	Hit
}

// relatedLines is how many lines of a passage stand by default: which passages there are
// is worth more than what they say.
const relatedLines = 3

func (s *Server) related(ctx context.Context, in RelatedArgs) (answer[RelatedOut], error) {
	var none answer[RelatedOut]
	b, err := s.budgetOf(in.MaxTokens)
	if err != nil {
		return none, err
	}
	snippet := relatedLines
	if in.Snippet != nil {
		snippet = *in.Snippet
	}
	if snippet < -1 {
		return none, document.Errorf(document.InvalidRequest, "snippet_lines is %d: choose 0 for none, -1 for all, or a number of lines", snippet)
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	source, path, line, _, err := at.one(in.Source, in.Path)
	if err != nil {
		return none, err
	}
	if line = cmp.Or(in.Line, line); line < 1 {
		return none, document.Errorf(document.InvalidRequest, "%s names no line: give one of the passage, as in path:40", in.Path)
	}
	req := contract.RelatedRequest{Source: source, Path: path, Line: line, Relations: in.Relations, Limit: in.Limit, Token: in.Token, Lease: in.Lease, Text: contract.TextFull}
	if snippet == 0 {
		req.Text = contract.TextNone
	}
	reply, err := client.Related.Ask(ctx, at.nc, req)
	if err != nil {
		return none, err
	}
	return s.relatives(at, b, reply, snippet)
}

func (s *Server) relatives(at *scene, b budget, reply contract.RelatedReply, snippet int) (answer[RelatedOut], error) {
	var parts []part
	for i := range reply.Related {
		one := &reply.Related[i]
		of := at.hit(i, &one.Passage, snippet)
		for n := range of {
			of[n].head += ": " + strings.Join(why(one.Why), ", ")
		}
		parts = append(parts, of...)
	}
	notes := at.told(reply.Lease, reply.Degraded, reply.Actions, reply.Pending, reply.Failed)
	of := RelatedOf{Path: at.path(reply.Of.Source, reply.Of.Path), StartLine: reply.Of.StartLine, EndLine: reply.Of.EndLine, Pending: reply.Of.Pending}
	head := of.Path
	for _, name := range reply.Of.Names {
		of.Names = append(of.Names, terminal.Shorten(terminal.Printable(name), 120))
		head += " " + of.Names[len(of.Names)-1]
	}
	head += fmt.Sprintf(" (lines %d-%d) is related to", of.StartLine, of.EndLine)
	if len(parts) == 0 {
		head += " nothing that is known"
		notes = append(notes, "nothing uses it by name, and it uses nothing that is defined here: grep for the name finds what is written in another way")
	}
	text, out, err := b.pack(len(parts), func(n int) (string, any) {
		notes := notes
		if left := len(parts) - n; left > 0 {
			passages := len(reply.Related)
			if n > 0 {
				passages -= parts[n-1].of + 1
			}
			notes = append(notes[:len(notes):len(notes)], b.left(left, fmt.Sprintf("lines, with them %d whole passages, were", passages), "ask with snippet_lines 0, or for some of the relations"))
		}
		out := RelatedOut{Of: of, Related: []Related{}, Common: b.common(reply.Token, reply.Lease, notes)}
		for _, p := range parts[:n] {
			if p.of == len(out.Related) {
				out.Related = append(out.Related, Related{why(reply.Related[p.of].Why), at.placed(&reply.Related[p.of].Passage)})
			}
			if p.line != "" {
				out.Related[p.of].Text += p.line + "\n"
			}
		}
		return head + "\n" + write(parts[:n], notes), out
	})
	if err != nil {
		return answer[RelatedOut]{}, err
	}
	return answer[RelatedOut]{text, out.(RelatedOut)}, nil
}

// placed is a hit without its text.
func (at *scene) placed(h *contract.Hit) Hit {
	return Hit{
		Path: at.path(h.Source, h.Path), Line: cmp.Or(h.Line, h.StartLine), StartLine: h.StartLine, EndLine: h.EndLine,
		Symbol: title(h), Metadata: h.Metadata, Score: h.Score, Pending: h.Pending, Copies: at.copies(h),
	}
}

// why says how a passage is related.
func why(all []contract.Relation) []string {
	out := make([]string, len(all))
	for i, r := range all {
		out[i] = strings.TrimSpace(r.Relation + " " + terminal.Shorten(terminal.Printable(r.Name), 80))
	}
	return out
}
