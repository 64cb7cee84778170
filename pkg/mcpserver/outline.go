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

// OutlineArgs are the arguments of the tool outline.
type OutlineArgs struct {
	Path      string `json:"path,omitempty" jsonschema:"document or folder; default: the project"`
	Source    string `json:"source,omitempty" jsonschema:"only this source; all: everything that is indexed"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"tokens of the answer, 200 to 24000; default 2000"`
	Token     string `json:"token,omitempty" jsonschema:"answer at least as fresh as this token of an answer"`
}

// OutlineOut is the answer of outline as a structure.
type OutlineOut struct {
	Path    string         `json:"path,omitempty"`
	Folder  bool           `json:"folder"`
	Entries []OutlineEntry `json:"entries"`
	Common
}

// OutlineEntry is a definition or heading of a document, or a document or folder
// of a folder.
type OutlineEntry struct {
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"`
	StartLine int    `json:"start_line,omitempty"`
	EndLine   int    `json:"end_line,omitempty"`
	Documents int    `json:"documents,omitempty"`
	Size      int64  `json:"size,omitempty"`
}

const outlineEntries = 1000

func (s *Server) outline(ctx context.Context, in OutlineArgs) (answer[OutlineOut], error) {
	var none answer[OutlineOut]
	b, err := s.budgetOf(in.MaxTokens)
	if err != nil {
		return none, err
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	req := contract.OutlineRequest{Limit: outlineEntries, Token: cmp.Or(in.Token, "latest")}
	if in.Path == "" && in.Source == "" {
		in.Path = at.folder
		if at.own == "" {
			in.Path = ""
		}
	}
	if in.Path != "" {
		if req.Source, req.Path, _, _, err = at.one(in.Source, in.Path); err != nil {
			return none, err
		}
	} else if in.Source != "" && in.Source != everything {
		if req.Source, err = document.ParseSource(in.Source); err != nil {
			return none, err
		}
	}
	reply, err := client.Outline.Ask(ctx, at.nc, req)
	if err != nil {
		return none, err
	}
	return s.outlined(at, b, reply)
}

func (s *Server) outlined(at *scene, b budget, reply contract.OutlineReply) (answer[OutlineOut], error) {
	notes := append(at.notes, degraded(reply.Degraded, reply.Actions)...)
	out := OutlineOut{Entries: []OutlineEntry{}}
	var head string
	var parts []part
	if d := reply.Document; d != nil {
		out.Path = at.path(d.Source, d.Path)
		head = fmt.Sprintf("%s (%d lines)", out.Path, d.Total)
		if len(d.Entries) == 0 && !d.Uncut {
			notes = append(notes, "it has no definition and no heading: read its lines")
		}
		for i, e := range d.Entries {
			name := terminal.Shorten(terminal.Printable(cmp.Or(strings.Join(e.Headings, " > "), e.Name)), 160)
			parts = append(parts, part{i, "", strings.TrimRight(fmt.Sprintf("%d-%d| %s %s", e.StartLine, e.EndLine, name, e.Kind), " ")})
			out.Entries = append(out.Entries, OutlineEntry{Name: name, Kind: e.Kind, StartLine: e.StartLine, EndLine: e.EndLine})
		}
	}
	if f := reply.Folder; f != nil {
		out.Folder, out.Path = true, string(f.Path)
		head = fmt.Sprintf("%s (%s, %s)", terminal.Printable(cmp.Or(string(f.Path), ".")), terminal.Documents(f.Documents), terminal.Bytes(f.Size))
		for i, e := range f.Entries {
			path, about := at.path(e.Source, e.Path), terminal.Bytes(e.Size)
			switch {
			case e.Documents > 0:
				path, about = path+"/", terminal.Documents(e.Documents)+", "+about
			case e.Skipped != "":
				about = "not indexed: " + terminal.Printable(e.Skipped)
			}
			parts = append(parts, part{i, "", "| " + path + " (" + about + ")"})
			out.Entries = append(out.Entries, OutlineEntry{Name: path, Documents: e.Documents, Size: e.Size})
		}
	}
	if reply.More > 0 {
		notes = append(notes, fmt.Sprintf("%d more entries: ask for a folder in it", reply.More))
	}
	all := out.Entries
	text, packed, err := b.pack(len(parts), func(n int) (string, any) {
		notes := notes
		if left := len(parts) - n; left > 0 {
			notes = append(notes[:len(notes):len(notes)], b.left(left, "entries were", "ask for a folder in it, or search"))
		}
		out := out
		out.Entries, out.Common = all[:n], b.common(reply.Token, nil, notes)
		return head + "\n" + write(parts[:n], notes), out
	})
	if err != nil {
		return answer[OutlineOut]{}, err
	}
	return answer[OutlineOut]{text, packed.(OutlineOut)}, nil
}
