// Package jupyter makes the text of notebooks (.ipynb): the source of each cell, as
// people read it. What cells have put out is left out: pictures are no text, and tables
// are of the last run.
package jupyter

import (
	"encoding/json"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// notebook is what is read of a file, of the versions 3 and 4 of its format.
type notebook struct {
	Cells      []cell `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"` // 3
	Metadata struct {
		Kernel struct {
			Language string `json:"language"`
		} `json:"kernelspec"`
		Language struct {
			Name string `json:"name"`
		} `json:"language_info"`
	} `json:"metadata"`
	Format int `json:"nbformat"`
}

type cell struct {
	Type     string `json:"cell_type"`
	Source   source `json:"source"`
	Input    source `json:"input"`    // 3, of code
	Level    int    `json:"level"`    // 3, of a heading
	Language string `json:"language"` // 3
}

// source is a text, or its lines.
type source string

// UnmarshalJSON implements json.Unmarshaler.
func (s *source) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*s = source(one)
		return nil
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		return err
	}
	*s = source(strings.Join(lines, ""))
	return nil
}

// Make implements extract.Maker. Cells are counted from 1, the empty ones, too.
func Make(content []byte, limit int) (extract.Text, error) {
	var n notebook
	if err := json.Unmarshal(content, &n); err != nil || n.Format < 1 {
		return extract.Text{}, extract.Damaged
	}
	cells := n.Cells
	for i := range n.Worksheets {
		cells = append(cells, n.Worksheets[i].Cells...)
	}
	b := extract.NewBuilder(limit)
	var path extract.Path
	spoken := n.spoken()
	for i := range cells {
		c := &cells[i]
		part := document.Part{Kind: document.PartCell, From: i + 1, To: i + 1}
		text := string(c.Source)
		switch c.Type {
		case "heading":
			text = strings.Repeat("#", max(1, min(c.Level, 6))) + " " + text
			addProse(b, &path, part, text)
		case "markdown":
			addProse(b, &path, part, text)
		case "code":
			if text == "" {
				text = string(c.Input)
			}
			b.Add(extract.Section{Language: c.spoken(spoken, text), Headings: path.Titles(), Part: part}, text)
		default:
			b.Add(extract.Section{Language: "text", Headings: path.Titles(), Part: part}, text)
		}
	}
	return b.Text()
}

// spoken is the language of the code of a notebook, "" where nobody knows it.
func (n *notebook) spoken() string {
	for _, name := range []string{n.Metadata.Language.Name, n.Metadata.Kernel.Language} {
		if l := named(name); l != "" {
			return l
		}
	}
	return ""
}

// named is the language that a notebook names, "" for one that nobody knows.
func named(name string) string {
	if all := language.Named(name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// spoken is the language of a cell of code: one that begins with a magic of cells
// ("%%bash") is in another than its notebook.
func (c *cell) spoken(notebook, text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "%%") {
		return ""
	}
	if l := named(c.Language); l != "" {
		return l
	}
	return notebook
}

// addProse adds a cell of Markdown, a section for each heading in it.
func addProse(b *extract.Builder, path *extract.Path, part document.Part, text string) {
	from := 0
	flush := func(to int) {
		b.Add(extract.Section{Language: "markdown", Headings: path.Titles(), Part: part}, text[from:to])
		from = to
	}
	text = extract.Clean(text)
	fence := ""
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := strings.TrimRight(text[at:end], " \t\n")
		trimmed := strings.TrimLeft(line, " ")
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
		default:
			if level, title := heading(line); level > 0 {
				flush(at)
				path.Open(level, title)
			}
		}
		at = end
	}
	flush(len(text))
}

// heading returns the level and the title of a line that is a heading, 0 for one that
// is none.
func heading(line string) (level int, title string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	if level == 0 || level > 6 || level == len(line) || line[level] != ' ' && line[level] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(line[level:]), "#"))
	if title == "" {
		return 0, ""
	}
	return level, title
}
