package mcpserver

import (
	"context"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// StatusArgs are the arguments of the tool status: none.
type StatusArgs struct{}

// StatusOut is the answer of status as a structure.
type StatusOut struct {
	Ready     bool           `json:"ready" jsonschema:"every source was compared, and nothing is pending"`
	Version   string         `json:"version"`
	Documents int            `json:"documents"`
	Passages  int            `json:"passages"`
	Project   string         `json:"project,omitempty" jsonschema:"the source that this project lies in"`
	Sources   []SourceOut    `json:"sources"`
	Pending   map[string]int `json:"pending,omitempty" jsonschema:"documents by the stage that they wait for"`
	// EndsIdleMS is in milliseconds.
	EndsIdleMS int64 `json:"ends_idle_ms,omitempty" jsonschema:"after how many milliseconds without a question freshet ends, to be started again by the next one"`
	// Usage is what was asked by each way.
	Usage []contract.Usage `json:"usage,omitempty" jsonschema:"what was asked and given so far, by way: given are bytes of text in answers, whole those of the files that they name"`
	Common
}

// SourceOut is a source.
type SourceOut struct {
	Source    string `json:"source"`
	Root      string `json:"root,omitempty"`
	Documents int    `json:"documents"`
	Watched   bool   `json:"watched"`
}

func (s *Server) status(ctx context.Context, _ StatusArgs) (answer[StatusOut], error) {
	var none answer[StatusOut]
	b, err := s.budgetOf(0)
	if err != nil {
		return none, err
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	reply, err := client.Status.Ask(ctx, at.nc, client.None)
	if err != nil {
		return none, err
	}
	if _, err := at.scope("", ""); err != nil {
		return none, err // it notes a project that is in no source
	}
	out := StatusOut{
		Ready: reply.Ready, Version: reply.Version, Documents: reply.Documents, Passages: reply.Chunks, Project: string(at.own),
		Sources: []SourceOut{}, Pending: map[string]int{}, Usage: reply.Usage,
	}
	state := "ready"
	if !reply.Ready {
		state = "indexing"
	}
	head := fmt.Sprintf("%s: %s, %s; state folder %s", state, terminal.Documents(reply.Documents), terminal.Plural(reply.Chunks, "passage", "passages"), s.link.where())
	notes := append(at.notes, degraded(reply.Degraded, reply.Actions)...)
	notes = append(notes, at.failed(reply.Failed)...)
	if reply.EndsIdleMS > 0 {
		out.EndsIdleMS = reply.EndsIdleMS
		notes = append(notes, "this freshet ends when nobody has asked for "+(time.Duration(reply.EndsIdleMS)*time.Millisecond).String()+"; the next question starts it again")
	}
	for _, stage := range contract.Stages {
		if n := reply.Pending[stage]; n > 0 {
			out.Pending[string(stage)] = n
			notes = append(notes, fmt.Sprintf("waiting for %s: %s", stage, terminal.Documents(n)))
		}
	}
	var parts []part
	for i, src := range reply.Sources {
		line := fmt.Sprintf("| %s %s (%s)", src.Source, terminal.Printable(src.Root), terminal.Documents(src.Documents))
		if src.Source == at.own {
			line += " this project"
		}
		if !src.Watched {
			line += " not watched"
		}
		parts = append(parts, part{i, "", line})
		out.Sources = append(out.Sources, SourceOut{string(src.Source), terminal.Printable(src.Root), src.Documents, src.Watched})
	}
	all := out.Sources
	text, packed, err := b.pack(len(parts), func(n int) (string, any) {
		out := out
		out.Sources, out.Common = all[:n], b.common(reply.Token, nil, notes)
		return head + "\n" + write(parts[:n], notes), out
	})
	if err != nil {
		return none, err
	}
	return answer[StatusOut]{text, packed.(StatusOut)}, nil
}
