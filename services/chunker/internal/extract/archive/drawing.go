package archive

import "strings"

// Line is the text of a paragraph as drawings have it, with its line breaks.
func (n *Node) Line() string {
	var b strings.Builder
	var walk func(*Node)
	walk = func(n *Node) {
		for _, c := range n.Children {
			switch c.Name {
			case "t":
				b.WriteString(c.Inner())
			case "br":
				b.WriteByte('\n')
			case "pPr", "rPr", "endParaRPr":
			default:
				walk(c)
			}
		}
	}
	if n != nil {
		walk(n)
	}
	return b.String()
}

// Paragraphs are the paragraphs below n with something between them.
func (n *Node) Paragraphs(between string) string {
	var all []string
	n.All("p", func(p *Node) {
		if line := strings.TrimSpace(p.Line()); line != "" {
			all = append(all, line)
		}
	})
	return strings.Join(all, between)
}
