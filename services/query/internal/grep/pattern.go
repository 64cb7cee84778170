package grep

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/trigram"
)

// pattern tells which lines match, and where. It is safe for concurrent use.
type pattern struct {
	literals
	// first finds a match in a whole line, and next one behind another match, in
	// the rest of a line. Both are nil where a line that has the one literal matches.
	first, next *regexp.Regexp // next only where the match is a group of both
	invert      bool
	// need is what a text has to hold for a line of it to match; with invert, any
	// text does.
	need trigram.Need
}

// wordPart is what a word consists of.
const wordPart = `\p{L}\p{M}\p{Nd}_`

// compile checks the pattern of a request. An error is an InvalidRequest.
func compile(in contract.GrepRequest) (*pattern, error) {
	if in.Pattern == "" {
		return nil, document.Errorf(document.InvalidRequest, "the pattern is empty: say what to look for")
	}
	expression := in.Pattern
	if in.Fixed {
		expression = regexp.QuoteMeta(expression)
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil, noExpression(in.Pattern, err)
	}
	if strings.Contains(in.Pattern, "\n") || wantsBreak(tree) {
		return nil, document.Errorf(document.InvalidRequest, "the pattern asks for a line break, and lines are matched one at a time: look for one of the lines")
	}
	p := &pattern{invert: in.Invert}
	switch {
	case in.IgnoreCase:
		expression = "(?i:" + expression + ")"
		if tree, err = syntax.Parse(expression, syntax.Perl); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "the pattern is no regular expression: %w", err)
		}
	case in.Fixed:
		p.literals = literals{[]byte(in.Pattern)}
	default:
		for _, text := range required(tree) {
			p.literals = append(p.literals, []byte(text))
		}
	}
	if !in.Invert {
		p.need = trigram.Of(tree)
	}
	if in.Fixed && !in.IgnoreCase && !in.Word {
		return p, nil
	}
	if !in.Word {
		p.first, err = regexp.Compile(expression)
	} else {
		p.first, p.next, err = words(expression)
	}
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the pattern is no regular expression: %w", err)
	}
	return p, nil
}

// otherDialect is what people know from Perl's regular expressions and RE2 does not have,
// since it could not be matched in time that grows with the text alone.
var otherDialect = []struct {
	write *regexp.Regexp
	named string
	do    string
}{
	{regexp.MustCompile(`\(\?<?[=!]`), "look-ahead and look-behind", "match what stands beside as well, or leave it out of the answer with a second pattern"},
	{regexp.MustCompile(`\\[1-9]|\\k<|\(\?P=`), "back-references", "write the repeated text out"},
	{regexp.MustCompile(`\(\?>|[*+?}]\+`), "atomic groups and possessive quantifiers", "leave the > or the second + out: nothing is tried twice here"},
}

// noExpression is the error for a pattern that RE2 does not take.
func noExpression(pattern string, err error) error {
	for _, other := range otherDialect {
		if other.write.MatchString(pattern) {
			return document.Errorf(document.InvalidRequest, "the pattern has %s, which RE2 has not (%w): %s; to look for it as it stands, ask for fixed (-F)", other.named, err, other.do)
		}
	}
	return document.Errorf(document.InvalidRequest, "the pattern is no regular expression: %w; to look for it as it stands, ask for fixed (-F)", err)
}

// words returns the expressions that find a match between characters that are in
// no word: at the beginning of a line, and behind another match.
func words(expression string) (first, next *regexp.Regexp, err error) {
	const beside = `[^` + wordPart + `]`
	behind := `((?:` + expression + `))(?:` + beside + `|$)`
	if first, err = regexp.Compile(`(?:^|` + beside + `)` + behind); err != nil {
		return nil, nil, err
	}
	next, err = regexp.Compile(beside + behind)
	return first, next, err
}

// matches reports whether a line is one that is looked for.
func (p *pattern) matches(line []byte) bool {
	return p.has(line) != p.invert
}

func (p *pattern) has(line []byte) bool {
	if len(p.literals) > 0 && !p.in(line) {
		return false
	}
	return p.first == nil || p.first.Match(line)
}

// ranges returns the first matches of a line that are not empty, at most most.
func (p *pattern) ranges(line []byte, most int) (out []contract.GrepRange) {
	add := func(start, end int) {
		if start < end && len(out) < most {
			out = append(out, contract.GrepRange{Start: start, End: end})
		}
	}
	switch {
	case p.invert:
	case p.first == nil:
		for at := 0; len(out) < most; at = out[len(out)-1].End {
			i := bytes.Index(line[at:], p.literals[0])
			if i < 0 {
				break
			}
			add(at+i, at+i+len(p.literals[0]))
		}
	case p.next == nil:
		for _, at := range p.first.FindAllIndex(line, emptyShare*most) {
			add(at[0], at[1])
		}
	default:
		// What is in no word may end one match and begin another.
		at, re := 0, p.first
		for range emptyShare * most {
			m := re.FindSubmatchIndex(line[at:])
			if m == nil {
				break
			}
			add(at+m[2], at+m[3])
			at, re = at+m[3], p.next
		}
	}
	return out
}

// emptyShare is how many matches are looked at for each that is wanted: some are
// empty.
const emptyShare = 4
