package mine

import (
	"bytes"
	"slices"
)

// cut is a change of a file of the corpus: lines are taken out, or one line is
// replaced. Lines count from 1.
type cut struct {
	first, last int
	by          string // what replaces the first line; "" for nothing
	replace     bool
}

// edit applies cuts that do not overlap.
func edit(content []byte, cuts []cut) []byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	drop := make([]bool, len(lines))
	for _, c := range cuts {
		for i := c.first; i <= c.last && i <= len(lines); i++ {
			drop[i-1] = true
		}
		if c.replace && c.first <= len(lines) {
			line := lines[c.first-1]
			ending := line[len(bytes.TrimRight(line, "\r\n")):]
			lines[c.first-1] = append([]byte(c.by), ending...)
			drop[c.first-1] = false
		}
	}
	var out []byte
	for i, line := range lines {
		if !drop[i] {
			out = append(out, line...)
		}
	}
	return out
}

// shifted is where a line that stays stands after the cuts.
func shifted(line int, cuts []cut) int {
	gone := 0
	for _, c := range cuts {
		first := c.first
		if c.replace {
			first++
		}
		if first < line {
			gone += min(c.last, line-1) - first + 1
		}
	}
	return line - gone
}

// sortCuts orders cuts by line.
func sortCuts(cuts []cut) {
	slices.SortFunc(cuts, func(a, b cut) int { return a.first - b.first })
}
