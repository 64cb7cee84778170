package split

import "bytes"

// lines cuts a stretch of lines into pieces of at most the target size, each
// at the best boundary of its second half: behind a blank line or an empty
// comment line, else before the least indented line. A line above the maximum
// is a piece of its own.
func (p *packer) lines(first, last int) []Item {
	var out []Item
	for start := first; start <= last; {
		end := start // last line of the piece
		best, score := -1, -1
		for end < last && p.text.Size(start, end+1) <= p.opt.Target {
			end++
			if p.text.Size(start, end-1) < p.opt.Target/2 {
				continue
			}
			if s := p.boundary(end); s >= score {
				best, score = end-1, s
			}
		}
		if end < last {
			if s := p.boundary(end + 1); s >= score {
				best = end
			}
			if best >= start {
				end = best
			}
		}
		out = append(out, Item{First: start, Last: end})
		start = end + 1
	}
	return out
}

// boundary says how well a cut stands before line i; higher is better.
func (p *packer) boundary(i int) int {
	line := p.text.Line(i)
	indent := indentOf(line)
	if indent < 0 {
		return 0 // a blank line goes to the piece before it
	}
	score := max(0, 60-indent)
	if closes(line) {
		score /= 4
	}
	if i > 0 {
		before := trimSpace(p.text.Line(i - 1))
		switch {
		case len(before) == 0:
			score += 100
		case len(before) <= 3 && bytes.Trim(before, "/#*-;%") == nil:
			score += 80
		}
	}
	return score
}

// closes reports whether a line begins with what ends something else.
func closes(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if len(line) == 0 {
		return false
	}
	switch line[0] {
	case '}', ')', ']':
		return true
	case 'e':
		word := line[:wordLen(line)]
		return string(word) == "end" || string(word) == "else" || string(word) == "elif" || string(word) == "esac" || string(word) == "except"
	}
	return false
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

func wordLen(b []byte) int {
	n := 0
	for n < len(b) && isWord(b[n]) {
		n++
	}
	return n
}
