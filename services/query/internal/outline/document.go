// Package outline says what a document defines, by its passages, and what a folder
// holds, by the heads of the log.
package outline

import (
	"bytes"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/member"
)

// Entries returns the definitions and sections of a content, in the order of their
// lines. text is the content. What has no name is left out.
func Entries(c *document.Content, text []byte) []contract.OutlineEntry {
	out := []contract.OutlineEntry{}
	for i := range c.Chunks {
		k := &c.Chunks[i]
		switch {
		case len(k.Names) > 0:
			out = append(out, neighbours(k, text[k.StartByte:k.EndByte], c.Language)...)
		case k.Symbol != "":
			out = join(out, contract.OutlineEntry{
				Name: k.Symbol, Kind: k.Kind, StartLine: k.StartLine, EndLine: k.EndLine, Signature: k.Signature,
			})
		case len(k.Headings) > 0:
			out = join(out, contract.OutlineEntry{
				Name: k.Headings[len(k.Headings)-1], Kind: document.KindSection, StartLine: k.StartLine, EndLine: k.EndLine, Headings: k.Headings,
			})
		}
	}
	return out
}

// join adds an entry, or lets the last one end where this does: long definitions
// and sections are cut into several passages.
func join(list []contract.OutlineEntry, e contract.OutlineEntry) []contract.OutlineEntry {
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.Name == e.Name && last.Kind == e.Kind && slices.Equal(last.Headings, e.Headings) && e.StartLine <= last.EndLine+1 {
			last.EndLine = e.EndLine
			return list
		}
	}
	return append(list, e)
}

// neighbours are the definitions of a passage of several small ones: each goes to
// where the next begins. One whose place is not found goes over all of it.
func neighbours(k *document.Chunk, text []byte, language string) (out []contract.OutlineEntry) {
	names := append([]string{k.Symbol}, k.Names...)
	lines := bytes.Split(text, []byte{'\n'})
	places := member.Places(lines, names, language)
	placed := map[string]bool{}
	for i, p := range places {
		end := k.EndLine
		if i+1 < len(places) {
			end = max(k.StartLine+places[i+1].Line-1, k.StartLine+p.Line)
		}
		placed[p.Name] = true
		out = append(out, contract.OutlineEntry{
			Name: p.Name, StartLine: k.StartLine + p.Line, EndLine: end, Signature: strings.TrimSpace(string(bytes.ToValidUTF8(lines[p.Line], nil))),
		})
	}
	for _, name := range names {
		if name != "" && !placed[name] {
			out = append(out, contract.OutlineEntry{Name: name, StartLine: k.StartLine, EndLine: k.EndLine})
		}
	}
	for i := range out {
		if out[i].Name == k.Symbol {
			out[i].Kind = k.Kind
		}
	}
	slices.SortStableFunc(out, func(a, b contract.OutlineEntry) int { return a.StartLine - b.StartLine })
	return out
}
