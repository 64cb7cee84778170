package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// ReadArgs are the arguments of the tool read.
type ReadArgs struct {
	Path      string `json:"path" jsonschema:"document, with its lines if wanted: path, path:line or path:from-to"`
	From      int    `json:"from,omitempty" jsonschema:"first line, from 1"`
	To        int    `json:"to,omitempty" jsonschema:"last line"`
	Source    string `json:"source,omitempty" jsonschema:"source of the document, where the path does not say it"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"tokens of the answer, 200 to 24000; default 2000"`
	Token     string `json:"token,omitempty" jsonschema:"answer at least as fresh as this token of an answer"`
	Lease     string `json:"lease,omitempty" jsonschema:"new, or the lease of an answer: says what of all that was given under it has changed since"`
}

// ReadOut is the answer of read as a structure.
type ReadOut struct {
	Path     string            `json:"path"`
	Version  uint64            `json:"version"`
	Hash     string            `json:"hash" jsonschema:"SHA-256 of the whole document"`
	Language string            `json:"language,omitempty"`
	Metadata document.Metadata `json:"metadata,omitempty" jsonschema:"what was put with the document"`
	From     int               `json:"from"`
	To       int               `json:"to"`
	Total    int               `json:"total" jsonschema:"lines of the whole document"`
	Next     int               `json:"next,omitempty" jsonschema:"line to go on with"`
	Pending  bool              `json:"pending,omitempty"`
	Text     string            `json:"text,omitempty" jsonschema:"lines with their numbers"`
	Common
}

func (s *Server) read(ctx context.Context, in ReadArgs) (answer[ReadOut], error) {
	var none answer[ReadOut]
	b, err := s.budgetOf(in.MaxTokens)
	if err != nil {
		return none, err
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	source, path, from, to, err := at.one(in.Source, in.Path)
	if err != nil {
		return none, err
	}
	if in.From > 0 || in.To > 0 {
		from, to = in.From, in.To
	}
	reply, err := client.Read.Ask(ctx, at.nc, contract.ReadRequest{Source: source, Path: path, From: from, To: to, LineBytes: readWidest, Token: in.Token, Lease: in.Lease})
	if err != nil {
		return none, err
	}
	return s.lines(at, b, reply)
}

// readWidest is how many bytes of one line are read.
const readWidest = 2000

func (s *Server) lines(at *scene, b budget, reply contract.ReadReply) (answer[ReadOut], error) {
	text := reply.Text
	if reply.Bytes != nil {
		text = string(reply.Bytes)
	}
	path := at.path(reply.Source, reply.Path)
	cut := map[int]int{}
	for _, c := range reply.Cut {
		cut[c.Line] = c.Left
	}
	var parts []part
	changed := 0 // lines that are not shown as they stand
	if reply.Total > 0 {
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			shown, whole := clean(line)
			if !whole && shown != strings.TrimSuffix(line, "\r") {
				changed++
			}
			if left := cut[reply.From+i]; left > 0 {
				shown += fmt.Sprintf(" …(%d bytes)", left)
			}
			parts = append(parts, part{0, "", framed(reply.From+i, shown)})
		}
	}
	notes := append(append(at.notes, at.leased(reply.Lease)...), degraded(reply.Degraded, reply.Actions)...)
	if reply.Pending {
		notes = append(notes, "a search may not find this version yet: it is still being indexed")
	}
	if changed > 0 {
		notes = append(notes, fmt.Sprintf("%d lines have characters that cannot be shown; U+FFFD stands in their place", changed))
	}
	if reply.Total == 0 {
		notes = append(notes, "the document is empty")
	}
	packed, out, err := b.pack(len(parts), func(n int) (string, any) {
		out := ReadOut{
			Path: path, Version: uint64(reply.Version), Hash: string(reply.Hash), Language: reply.Language, Metadata: reply.Metadata, Total: reply.Total,
			From: reply.From, To: reply.From + n - 1, Next: reply.Next, Pending: reply.Pending,
		}
		if n < len(parts) {
			out.Next = reply.From + n
		}
		if n == 0 {
			out.From, out.To = 0, 0
		}
		notes := notes
		if out.Next > 0 {
			notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("cut to keep max_tokens %d (%s): go on with read path %s:%d", b.most, b.Name(), path, out.Next))
		}
		out.Common = b.common(reply.Token, reply.Lease, notes)
		head := fmt.Sprintf("%s lines %d-%d of %d", path, out.From, out.To, out.Total)
		var body strings.Builder
		for _, p := range parts[:n] {
			body.WriteString(p.line + "\n")
		}
		out.Text = body.String()
		return head + "\n" + write(parts[:n], notes), out
	})
	if err != nil {
		return answer[ReadOut]{}, err
	}
	return answer[ReadOut]{packed, out.(ReadOut)}, nil
}
