package answers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Passage is one that a model was given, by its number.
type Passage struct {
	N    int
	Name string // path, symbol and headings
	Text string // as it was given
}

// Verdict is what a sentence is worth.
type Verdict struct {
	Cites     []int // passages that it names and that say it, by number
	Supported bool
	Why       string // where it is not: contract.NoCitation and its like
}

const (
	// share is the part of a sentence's words that the passages that it names have to
	// have, together, and leastShare that of each: the rest is how a model says it.
	share, leastShare = .6, .25
	// near is how many lines above and below a number its sentence's words are looked
	// for.
	near = 1
)

// cited is a citation: [1], [1, 3].
var cited = regexp.MustCompile(`\[\d{1,4}(?:\s?,\s?\d{1,4})*\]`)

// number is one as it stands in a text, with its fraction and thousands.
var number = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)

// negation is what turns a sentence into its opposite.
var negation = regexp.MustCompile(`(?i)\b(?:not?|never|none|nothing|neither|nor|without|cannot|\w+n['’]t|nicht|kein\w*|nie|ohne|pas|jamais|sans|sin|nunca|ningún\w*)\b`)

// Judge holds sentences against the passages that they name. It compares words, not
// meaning: that a sentence is supported says that its passages have its numbers and
// names, most of its other words, and no less or more of a negation where these stand.
// It is safe for concurrent use.
type Judge struct {
	Analyzer *analysis.Analyzer
	Passages []Passage
	// Question is what was asked; its words need not stand in a passage.
	Question string
}

// Judge says what a sentence is worth. before is what the sentence before it named: a
// block of code has no citations of its own.
func (j *Judge) Judge(sentence string, before []int) Verdict {
	named, missing := j.named(sentence)
	text := cited.ReplaceAllString(sentence, " ")
	code := strings.HasPrefix(strings.TrimSpace(text), fence)
	if code && len(named) == 0 && !missing {
		named = before
	}
	switch {
	case len(named) == 0 && missing:
		return Verdict{Why: contract.NoPassage}
	case len(named) == 0 && !hasWord(text):
		return Verdict{Supported: true} // it says nothing
	case len(named) == 0:
		return Verdict{Why: contract.NoCitation}
	case code:
		return j.judgeCode(text, named)
	}
	c := j.claim(text)
	var says []int
	var all []*Passage
	for _, n := range named {
		if p := j.passage(n); c.in(j.Analyzer, p) >= leastShare {
			says, all = append(says, n), append(all, p)
		}
	}
	switch {
	case len(all) == 0 || !c.standsIn(j.Analyzer, all):
		return Verdict{Why: contract.NotInPassage}
	case missing:
		return Verdict{Cites: says, Why: contract.NoPassage}
	}
	return Verdict{Cites: says, Supported: true}
}

// named are the passages that a sentence names, each once; missing says that it names
// one that there is not.
func (j *Judge) named(sentence string) (out []int, missing bool) {
	for _, c := range cited.FindAllString(sentence, -1) {
		for part := range strings.SplitSeq(strings.Trim(c, "[]"), ",") {
			n, err := strconv.Atoi(strings.TrimSpace(part))
			switch {
			case err != nil || j.passage(n) == nil:
				missing = true
			case !slices.Contains(out, n):
				out = append(out, n)
			}
		}
	}
	return out, missing
}

func (j *Judge) passage(n int) *Passage {
	for i := range j.Passages {
		if j.Passages[i].N == n {
			return &j.Passages[i]
		}
	}
	return nil
}

// judgeCode wants every line of a block in one of the passages.
func (j *Judge) judgeCode(text string, named []int) Verdict {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	var in strings.Builder
	for _, n := range named {
		in.WriteString(squeezed(j.passage(n).Text) + "\n")
	}
	for i, line := range lines {
		if i == 0 || strings.HasPrefix(strings.TrimSpace(line), fence) {
			continue
		}
		if line = squeezed(line); line != "" && !strings.Contains(in.String(), line) {
			return Verdict{Why: contract.NotInPassage}
		}
	}
	return Verdict{Cites: named, Supported: true}
}

// squeezed has no space, so that code that was indented anew is the same.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

func hasWord(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// claim is what a sentence says: what has to stand in a passage as it is, and words of
// which most have to.
type claim struct {
	names, numbers []string
	words          []string
	negated        bool
}

// claim takes a sentence apart. The question's own words are no evidence for or against,
// but a number has to stand in a passage even so.
func (j *Judge) claim(text string) claim {
	c := claim{numbers: number.FindAllString(text, -1), negated: negation.MatchString(text)}
	asked := map[string]bool{}
	for _, w := range j.Analyzer.Words(j.Question) {
		asked[w] = true
	}
	for _, name := range analysis.ShapedIdentifiers(text) {
		if !strings.Contains(strings.ToLower(j.Question), strings.ToLower(name)) {
			c.names = append(c.names, strings.ToLower(name))
		}
	}
	for _, w := range j.Analyzer.Words(text) {
		if !asked[w] && !slices.Contains(c.words, w) && !number.MatchString(w) {
			c.words = append(c.words, w)
		}
	}
	return c
}

// in is the part of a claim's words that a passage has; 1 for a claim without any.
func (c *claim) in(a *analysis.Analyzer, p *Passage) float64 {
	return c.shareOf(wordsOf(a, p.Name, p.Text))
}

func (c *claim) shareOf(words map[string]bool) float64 {
	if len(c.words) == 0 {
		return 1
	}
	n := 0
	for _, w := range c.words {
		if words[w] {
			n++
		}
	}
	return float64(n) / float64(len(c.words))
}

// standsIn reports whether passages say a claim together.
func (c *claim) standsIn(a *analysis.Analyzer, passages []*Passage) bool {
	var texts []string
	for _, p := range passages {
		texts = append(texts, p.Name, p.Text)
	}
	if c.shareOf(wordsOf(a, texts...)) < share {
		return false
	}
	if !c.namesIn(strings.Join(texts, "\n")) {
		return false
	}
	for _, n := range c.numbers {
		if !slices.ContainsFunc(passages, func(p *Passage) bool { return c.numberIn(a, p, n) }) {
			return false
		}
	}
	return slices.ContainsFunc(passages, func(p *Passage) bool { return c.negatedIn(a, p) })
}

// namesIn reports whether a text holds every name of a claim.
func (c *claim) namesIn(text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(c.names, func(name string) bool { return !holdsName(text, name) })
}

// holdsName reports whether a text, in lower case, holds a name: as it is, or the last
// part of a qualified one.
func holdsName(text, name string) bool {
	if strings.Contains(text, name) {
		return true
	}
	at := strings.LastIndexAny(name, ".:#>")
	return at >= 0 && at+1 < len(name) && strings.Contains(text, name[at+1:])
}

// numberIn reports whether a passage has a number beside some word of the claim: another
// number of the same passage may be that of something else.
func (c *claim) numberIn(a *analysis.Analyzer, p *Passage, wanted string) bool {
	if slices.Contains(number.FindAllString(p.Name, -1), wanted) {
		return true
	}
	lines := strings.Split(p.Text, "\n")
	for i, line := range lines {
		if !slices.Contains(number.FindAllString(line, -1), wanted) {
			continue
		}
		if len(c.words) == 0 {
			return true
		}
		around := strings.Join(lines[max(0, i-near):min(len(lines), i+near+1)], "\n")
		if c.shareOf(wordsOf(a, around)) > 0 {
			return true
		}
	}
	return false
}

// negatedIn reports whether a passage says the claim as it is, and not its opposite: its
// line with most of the claim's words, and those around it, have a negation where the
// claim has one.
func (c *claim) negatedIn(a *analysis.Analyzer, p *Passage) bool {
	lines := strings.Split(p.Text, "\n")
	best, most := 0, -1.0
	for i, line := range lines {
		if s := c.shareOf(wordsOf(a, line)); s > most {
			best, most = i, s
		}
	}
	if c.negated {
		return negation.MatchString(strings.Join(lines[max(0, best-near):min(len(lines), best+near+1)], "\n"))
	}
	// What is next to it may be denied for another reason.
	return most <= 0 || len(c.words) < 3 || most < share || !negation.MatchString(lines[best])
}

func wordsOf(a *analysis.Analyzer, texts ...string) map[string]bool {
	out := map[string]bool{}
	for _, t := range texts {
		for _, w := range a.Words(t) {
			out[w] = true
		}
	}
	return out
}
