package answers

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Splitter cuts what a model says into sentences while it comes. The sentences in
// order are all that was said, byte for byte: each ends behind the citations, quotes
// and space that follow its full stop, and lines, items of lists and fenced blocks of
// code are sentences of their own. The zero value is ready; it is for one goroutine.
type Splitter struct {
	rest string
}

// maxSentence is the length in bytes at which a sentence is cut where it has not ended.
const maxSentence = 8 << 10

// fence begins and ends a block of code.
const fence = "```"

// Feed takes what came and returns the sentences that ended with it.
func (s *Splitter) Feed(text string) (out []string) {
	s.rest += text
	for {
		n := end(s.rest, false)
		if n == 0 && len(s.rest) > maxSentence {
			n = strings.LastIndexAny(s.rest[:maxSentence], " \n") + 1
			if n == 0 {
				n = maxSentence
			}
		}
		if n == 0 {
			return out
		}
		out, s.rest = append(out, s.rest[:n]), s.rest[n:]
	}
}

// Rest returns the sentences that are left at the end.
func (s *Splitter) Rest() (out []string) {
	for s.rest != "" {
		n := end(s.rest, true)
		out, s.rest = append(out, s.rest[:n]), s.rest[n:]
	}
	return out
}

// end is where the first sentence of a text ends, 0 where more has to come to tell;
// with all of it there it is the end of the text at the latest.
func end(text string, all bool) int {
	last := 0
	if all {
		last = len(text)
	}
	begin := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if begin == len(text) {
		return last
	}
	body := text[begin:]
	if strings.HasPrefix(body, fence) {
		if n := fenced(body); n > 0 {
			n, _ = spaceBehind(text, begin+n, all)
			return n
		}
		return last
	}
	if !all && strings.HasPrefix(fence, body) {
		return 0 // it may become a fence
	}
	for i, r := range body {
		switch {
		case r == '\n':
			n, _ := spaceBehind(text, begin+i+1, all)
			return n
		case strings.ContainsRune(".!?。！？", r):
			n, known := closed(body[i+utf8.RuneLen(r):], all)
			if !known {
				return last
			}
			if n > 0 {
				return begin + i + utf8.RuneLen(r) + n
			}
		}
	}
	return last
}

// fenced is how long a block of code is, with the line that ends it; 0 where that is
// not there.
func fenced(body string) int {
	at := strings.Index(body[len(fence):], "\n"+fence)
	if at < 0 {
		return 0
	}
	behind := len(fence) + at + 1 + len(fence)
	if n := strings.IndexByte(body[behind:], '\n'); n >= 0 {
		return behind + n + 1
	}
	return 0
}

// closed is how much of what stands behind a full stop belongs to its sentence: closing
// quotes, citations and space. It is 0 where that is no end, such as in 1.5 or e.g. in
// the middle of a sentence, and not known where more has to come.
func closed(text string, all bool) (n int, known bool) {
	cites := false
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		switch {
		case strings.ContainsRune(`"'”’)*_`+"`", r):
			n += size
			continue
		case r == '\n':
			return spaceBehind(text, n+1, all)
		case r == ' ' || r == '\t' || r == '\r' || r == '[':
			to := n + len(text[n:]) - len(strings.TrimLeft(text[n:], " \t\r"))
			if to == len(text) {
				return to, all
			}
			if text[to] == '[' {
				k, open := citation(text[to:])
				if open && !all {
					return 0, false
				}
				if k > 0 {
					n, cites = to+k, true
					continue
				}
			}
			if text[to] == '\n' {
				return spaceBehind(text, to+1, all)
			}
			next, _ := utf8.DecodeRuneInString(text[to:])
			if to == n || !cites && unicode.IsLower(next) {
				return 0, true
			}
			return to, true
		}
		if cites {
			return n, true
		}
		return 0, true
	}
	return n, all
}

// citation is how long the citation is that a text begins with, 0 for none; open says
// that it may become one.
func citation(text string) (n int, open bool) {
	at := cited.FindStringIndex(text)
	if at != nil && at[0] == 0 {
		return at[1], false
	}
	return 0, strings.Trim(text, "[0123456789, ") == "" && !strings.Contains(text, "]")
}

// spaceBehind takes empty lines to the sentence before them; it is 0 and not known where
// more may come of them.
func spaceBehind(text string, n int, all bool) (int, bool) {
	for {
		line := text[n:]
		at := strings.IndexByte(line, '\n')
		switch {
		case at >= 0 && strings.TrimSpace(line[:at]) == "":
			n += at + 1
		case strings.TrimSpace(line) != "":
			return n, true
		case all:
			return len(text), true
		default:
			return 0, false
		}
	}
}
