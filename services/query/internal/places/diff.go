package places

import (
	"bytes"
	"regexp"
	"strings"
)

var (
	diffFile = regexp.MustCompile(`^(?:---|\+\+\+) (?:[ab]/)?([^\t]+)`)
	hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$`)
)

// hunk is a part of a diff: its lines before and after, and where each begins.
type hunk struct {
	was, is           []string
	wasLine, isLine   int
	wasFirst, isFirst int // places of the first line that differs
}

// diff reads the hunks of a unified diff, where there are any.
func (f *finder) diff(lines []string) {
	current := ""
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		if m := diffFile.FindStringSubmatch(line); m != nil {
			if m[1] != "/dev/null" {
				current = m[1]
			}
			continue
		}
		m := hunkHead.FindStringSubmatch(line)
		if m == nil || current == "" {
			continue
		}
		f.isDiff = true
		h := &hunk{wasLine: number(m[1]), isLine: number(m[2]), wasFirst: -1, isFirst: -1}
		i += h.read(f, lines[i+1:])
		f.places = append(f.places, Place{Path: slashed(current), Line: h.isLine + max(h.isFirst, 0), Function: m[3], Sure: true, hunk: h})
	}
}

// read reads the lines of a hunk; n is how many.
func (h *hunk) read(f *finder, lines []string) (n int) {
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if line != "" && !strings.ContainsRune(" +-\\", rune(line[0])) || diffFile.MatchString(line) {
			break
		}
		n++
		switch {
		case line == "":
			h.was, h.is = append(h.was, ""), append(h.is, "")
		case line[0] == ' ':
			h.was, h.is = append(h.was, line[1:]), append(h.is, line[1:])
		case line[0] == '\\':
		default:
			if h.isFirst < 0 {
				h.wasFirst, h.isFirst = len(h.was), len(h.is)
			}
			if line[0] == '-' {
				h.was = append(h.was, line[1:])
			} else {
				h.is = append(h.is, line[1:])
			}
			f.say(line[1:])
		}
	}
	h.was, h.is = unblank(h.was), unblank(h.is)
	return n
}

// unblank leaves out the empty lines at the end, which may be none of the diff.
func unblank(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// In returns the place's line in a text of the file: where it stands by what was
// typed beside it, else the line that was named. 0 is a line that the text lacks.
func (p *Place) In(text []byte) int {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if h := p.hunk; h != nil {
		if at := nearest(lines, h.is, h.isLine); at > 0 {
			return min(at+max(h.isFirst, 0), len(lines))
		}
		if at := nearest(lines, h.was, h.wasLine); at > 0 {
			return min(at+max(h.wasFirst, 0), len(lines))
		}
		return min(max(h.wasLine, 1), len(lines))
	}
	if p.code != "" {
		if at := nearest(lines, []string{p.code}, p.Line); at > 0 {
			return at
		}
	}
	if p.Line > len(lines) {
		return 0
	}
	return p.Line
}

// nearest returns the line, from 1, at which a block stands nearest to where it was,
// without the white space around its lines; 0 for nowhere.
func nearest(lines [][]byte, block []string, was int) int {
	if len(block) == 0 {
		return 0
	}
	was = min(max(was, 1), len(lines))
	for away := range len(lines) {
		for _, at := range []int{was - away, was + away} {
			if at >= 1 && at-1+len(block) <= len(lines) && stands(lines[at-1:], block) {
				return at
			}
		}
	}
	return 0
}

func stands(lines [][]byte, block []string) bool {
	for i, line := range block {
		if string(bytes.TrimSpace(lines[i])) != strings.TrimSpace(line) {
			return false
		}
	}
	return true
}
