package secrets

import (
	"fmt"
	"slices"
	"strings"
)

// Redacted stands where something was taken out.
const Redacted = "[redacted]"

// Finding is a part of a text that must not leave, in bytes.
type Finding struct {
	Start, End int
	Rule       string // which kind it is
}

// Scanner finds secrets. It is safe for concurrent use.
type Scanner struct {
	rules []*rule
}

// NewScanner returns a scanner of secrets, and of personal data where that is asked for.
func NewScanner(withPersonal bool) (*Scanner, error) {
	rules, err := parse(gitleaks)
	if err != nil {
		return nil, fmt.Errorf("read the rules of secrets: %w", err)
	}
	rules = append(rules, own()...)
	if withPersonal {
		rules = append(rules, personal()...)
	}
	return &Scanner{rules: rules}, nil
}

// around is how many bytes on each side of a part of a document are looked at with it: a
// password may stand in another passage than its name.
const around = 1 << 10

// Document is a text whose parts are looked at one by one.
type Document struct {
	text  string
	rules []*rule // whose keywords stand somewhere in the text
}

// Of prepares a text.
func (s *Scanner) Of(text string) *Document {
	d := &Document{text: text}
	lower := lowered(text)
	for _, r := range s.rules {
		if len(r.keywords) == 0 || slices.ContainsFunc(r.keywords, func(k string) bool { return strings.Contains(lower, k) }) {
			d.rules = append(d.rules, r)
		}
	}
	return d
}

// Find returns what must not leave of a text, in order, none overlapping another.
func (s *Scanner) Find(text string) []Finding { return s.Of(text).In(0, len(text)) }

// In returns what must not leave of text[start:end], in order and without overlap, each
// counted from start. What reaches into it from outside is part of it.
func (d *Document) In(start, end int) []Finding {
	from, to := max(0, start-around), min(len(d.text), end+around)
	text := d.text[from:to]
	lower := lowered(text)
	var out []Finding
	for _, r := range d.rules {
		for _, w := range r.windows(text, lower) {
			at := from + w.from
			for _, f := range r.matches(text[w.from:w.to]) {
				f.Start, f.End = max(f.Start+at, start)-start, min(f.End+at, end)-start
				if f.Start < f.End {
					out = append(out, f)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Finding) int { return a.Start - b.Start })
	merged := out[:0]
	for _, f := range out {
		if n := len(merged); n > 0 && f.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, f.End)
			continue
		}
		merged = append(merged, f)
	}
	return merged
}

// lowered is a text with ASCII's letters in lower case, of the same length.
func lowered(text string) string {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// window is a part of a text that is looked at.
type window struct{ from, to int }

// Before a keyword the expressions of named rules reach 50 letters; behind it they reach
// some 30 to the secret, which has some 250 at most.
const before, behind = 64, 512

// windows are the parts of a text in which a rule may match: all of it, or the
// surroundings of its keywords, since an expression takes a microsecond for each letter.
func (r *rule) windows(text, lower string) []window {
	if r.may != nil && !r.may(text) {
		return nil
	}
	if !r.named {
		return []window{{0, len(text)}}
	}
	var out []window
	for _, k := range r.keywords {
		for at := 0; ; {
			i := strings.Index(lower[at:], k)
			if i < 0 {
				break
			}
			at += i + len(k)
			if assigned(lower[at:]) {
				out = append(out, window{max(0, at-len(k)-before), min(len(text), at+behind)})
			}
		}
	}
	slices.SortFunc(out, func(a, b window) int { return a.from - b.from })
	merged := out[:0]
	for _, w := range out {
		if n := len(merged); n > 0 && w.from <= merged[n-1].to {
			merged[n-1].to = max(merged[n-1].to, w.to)
			continue
		}
		merged = append(merged, w)
	}
	return merged
}

// assigned reports whether what stands behind a keyword is the rest of a name and a sign
// that gives it a value, as the expressions of named rules have it:
// [ \t\w.-]{0,20}[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,).
func assigned(text string) bool {
	i := 0
	for i < len(text) && i <= 23 && (base64Letter(text[i]) && text[i] != '+' && text[i] != '/' || strings.IndexByte(" \t_.-", text[i]) >= 0) {
		i++
	}
	for n := 0; i < len(text) && n < 3 && strings.IndexByte(" \t\r\n\f'\"", text[i]) >= 0; n++ {
		i++
	}
	return i < len(text) && strings.IndexByte("=>:|?,", text[i]) >= 0
}

// matches are the secrets of a rule.
func (r *rule) matches(text string) (out []Finding) {
	for _, m := range r.expr().FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		if g := r.group * 2; g > 0 && g+1 < len(m) && m[g] >= 0 {
			start, end = m[g], m[g+1]
		} else if g == 0 {
			for i := 2; i+1 < len(m); i += 2 {
				if m[i] >= 0 && m[i+1] > m[i] {
					start, end = m[i], m[i+1]
					break
				}
			}
		}
		secret := text[start:end]
		if r.entropy > 0 && entropy(secret) <= r.entropy {
			continue
		}
		if r.valid != nil {
			if end = start + r.valid(secret); end == start {
				continue
			}
		}
		match, line := text[m[0]:m[1]], lineOf(text, m[0], m[1])
		if slices.ContainsFunc(r.allowed, func(a allowlist) bool { return a.allows(secret, match, line) }) {
			continue
		}
		out = append(out, Finding{Start: start, End: end, Rule: r.id})
	}
	return out
}

// lineOf are the whole lines of text[start:end].
func lineOf(text string, start, end int) string {
	start = strings.LastIndexByte(text[:start], '\n') + 1
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		return text[start : end+i]
	}
	return text[start:]
}

// Redact puts Redacted in the place of what was found.
func Redact(text string, found []Finding) string {
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(Redacted)
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}
