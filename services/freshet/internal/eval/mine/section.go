package mine

import "strings"

// Section returns the lines of the first section of a Markdown content with a
// heading, with the sections below it. Markup in either heading does not count.
func Section(content []byte, title string) (start, end int, ok bool) {
	lines, _ := linesOf(content)
	list := headings(lines)
	for i, h := range list {
		if bare(h.text) != bare(title) {
			continue
		}
		for _, next := range list[i+1:] {
			if len(next.mark) <= len(h.mark) {
				return h.line, next.line - 1, true
			}
		}
		return h.line, len(lines), true
	}
	return 0, 0, false
}

// bare is a heading without what is markup, or may be.
func bare(title string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if strings.ContainsRune("`*_\\", r) {
			return -1
		}
		return r
	}, plain(title))), " ")
}
