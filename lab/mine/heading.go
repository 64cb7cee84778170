package mine

import (
	"regexp"
	"strings"
)

// heading is an ATX heading of a Markdown content and the section below it, up
// to the next heading of any level. Lines count from 1.
type heading struct {
	text      string
	mark      string // "##"
	line, end int
}

var atx = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$`)

// headings lists the headings outside of code blocks and front matter.
func headings(lines []string) []heading {
	var out []heading
	fence, front := "", len(lines) > 0 && lines[0] == "---"
	for i, line := range lines {
		switch text := strings.TrimSpace(line); {
		case front:
			front = i == 0 || text != "---"
			continue
		case fence != "":
			if strings.HasPrefix(text, fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
			continue
		}
		m := atx.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if n := len(out); n > 0 {
			out[n-1].end = i
		}
		out = append(out, heading{text: plain(m[2]), mark: m[1], line: i + 1, end: len(lines)})
	}
	return out
}

const (
	leastHeading = 3  // words of a heading that asks something
	leastSection = 30 // words of a section that answers
)

var stockHeading = regexp.MustCompile(`(?i)^(table of contents?|further reading|see also|how it works|getting started|what'?s (new|changed|next).*|frequently asked questions|before you (begin|start)|next steps|quick ?start.*|known (issues|limitations)|(release )?notes.*|v?\d+[\d.]*.*|(step|part|chapter|example|option) \d+.*|\d{4}-\d\d.*)$`)

// judgeHeading says why a heading is no question; "" for a good one.
func judgeHeading(h heading) (why string) {
	words := strings.Fields(h.text)
	switch {
	case len(words) < leastHeading:
		return tooShort
	case len(words) > mostWords:
		return tooLong
	case h.mark == "#", stockHeading.MatchString(h.text):
		return boilerplate
	case !isProse(h.text):
		return noProse
	}
	return ""
}

// wordsIn counts words outside of code blocks.
func wordsIn(lines []string) int {
	n, fence := 0, ""
	for _, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case fence != "" && strings.HasPrefix(text, fence):
			fence = ""
		case fence != "":
		case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
			fence = text[:3]
		default:
			n += len(wordPattern.FindAllString(text, -1))
		}
	}
	return n
}
