package mine

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Why a question is left out. They are read by people.
const (
	tooShort    = "says too little"
	tooLong     = "is longer than anybody would ask"
	boilerplate = "is boilerplate"
	noProse     = "is not prose"
	breaksOff   = "breaks off"
	namesIt     = "names what it asks for"
	repeatsName = "only repeats a name"
	elsewhere   = "stands elsewhere in the corpus too"
	tooSmall    = "is about too small a passage"
	undesired   = "is in a test, vendored or generated file"
	unparsed    = "is in a file that cannot be parsed"
	perFile     = "is one too many of its file"
	enough      = "is more than was asked for"
)

const (
	leastWords = 4
	mostWords  = 60
	// leastNew is how many words a question has at least that its target's name
	// does not have.
	leastNew = 3
)

var stock = regexp.MustCompile(`(?i)^(deprecated|todo|fixme|xxx|hack|copyright|license|nolint|go:|eslint|@?inheritdoc|\{@inheritdoc|implements |see |auto-?generated|generated|internal use|for internal|this (function|method) (is|was) (auto)?generated|string implements|error implements|required for|getter for|setter for|test(s|ing)? )|\b(all rights reserved|do not (edit|call|use)|not implemented|see above|see below)\b`)

// fragment begins what is left of a sentence without its subject.
var fragment = regexp.MustCompile(`^(?i:and|or|is|are|was|will|can|also|[,:;-]+)\s+`)

// judgeDoc turns the text of a doc comment into a question, or says why not.
func judgeDoc(language, symbol, text string) (query, why string) {
	name := bareName(symbol)
	query = sentences(text)
	if query == strings.TrimSuffix(text, ":") && query != text {
		return query, breaksOff // what follows is a list or code
	}
	// In Go a comment begins with the name of what it is about.
	if first, rest, ok := strings.Cut(query, " "); ok && language == "go" && (strings.EqualFold(strings.Trim(first, "():,"), name) || strings.EqualFold(first, symbol)) {
		query = fragment.ReplaceAllString(strings.TrimSpace(rest), "")
	}
	return query, judge(query, name, symbol)
}

// judge says why a text is no question for a target of that name; "" for a good
// one.
func judge(query, name, symbol string) (why string) {
	words := strings.Fields(query)
	switch {
	case len(words) < leastWords:
		return tooShort
	case len(words) > mostWords:
		return tooLong
	case stock.MatchString(query):
		return boilerplate
	case !isProse(query):
		return noProse
	}
	known := stems(symbol)
	if len(stems(name)) > 1 && slices.ContainsFunc(words, func(w string) bool {
		return strings.Contains(strings.ToLower(w), strings.ToLower(name))
	}) {
		return namesIt
	}
	fresh := map[string]bool{}
	for _, s := range stems(query) {
		if len(s) > 2 && !stopWords[s] && !slices.Contains(known, s) {
			fresh[s] = true
		}
	}
	if len(fresh) < leastNew {
		return repeatsName
	}
	return ""
}

// code are marks that prose does not have.
var code = regexp.MustCompile(`[{}]|;$|=>|->|:=|==| = |\)\.|&&`)

// isProse tells words of a language from code, tables and rules: most of it is
// letters.
func isProse(text string) bool {
	if code.MatchString(text) {
		return false
	}
	letters, all := 0, 0
	for _, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		all++
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return all > 0 && letters*100 >= all*85
}

// stems are the words of a text or the parts of a name, in lower case and
// without the usual endings.
func stems(text string) []string {
	var out []string
	for _, word := range wordPattern.FindAllString(text, -1) {
		for _, part := range partPattern.FindAllString(word, -1) {
			out = append(out, stem(strings.ToLower(part)))
		}
	}
	return out
}

var (
	wordPattern = regexp.MustCompile(`[\pL\pN]+`)
	partPattern = regexp.MustCompile(`\p{Lu}+(?:\p{Ll}+|$)|\p{Lu}+|\p{Ll}+|\pN+|\pL+`)
)

func stem(word string) string {
	for _, end := range []string{"ing", "ies", "ed", "es", "s", "e", "y"} {
		if rest, ok := strings.CutSuffix(word, end); ok && len(rest) >= 3 {
			return rest
		}
	}
	return word
}

// stopWords carry no meaning of their own; as stems.
var stopWords = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields("a an the of to in on at by for from with and or not is are was be been has have had it its this that these those as if when which who return returns get gets set sets given new value values function method object will can may must should do does not no any all some") {
		out[stem(w)] = true
	}
	return out
}()
