package mine

import (
	"regexp"
	"strings"
)

// ends are lines at which the description of a doc comment is over.
var ends = regexp.MustCompile(`(?i)^(@[a-z]|:[a-z]+|\\[a-z]+ |(args|arguments|parameters?|params|returns?|yields?|raises|throws|examples?|notes?|warning|attributes|usage|see also|safety|panics|errors)\s*:?$|(args|returns|raises|example)s?:|#+ |` + "```" + `|-{3,}|={3,}|>>>|\.\. )`)

// prose returns the first paragraph of a doc comment as one line of text without
// marks of comment or markup; "" where there is none.
func prose(language string, lines []string) string {
	var words []string
	for _, line := range unquoted(language, lines) {
		text := strings.TrimSpace(line)
		switch {
		case text == "" && len(words) == 0:
			continue
		case text == "", ends.MatchString(text):
			return plain(strings.Join(words, " "))
		}
		words = append(words, text)
	}
	return plain(strings.Join(words, " "))
}

// unquoted takes the marks of a comment off its lines.
func unquoted(language string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		text := strings.TrimSpace(line)
		if language == "python" {
			if i == 0 {
				text = strings.TrimLeft(text, "rRuUbBfF")
				text = strings.TrimLeft(text, `"'`)
			}
			if i == len(lines)-1 {
				text = strings.TrimRight(text, `"' `)
			}
			out[i] = text
			continue
		}
		text = strings.TrimSuffix(text, "*/")
		for _, mark := range []string{"/**", "/*!", "/*", "///", "//!", "//", "*"} {
			if rest, ok := strings.CutPrefix(text, mark); ok {
				text = rest
				break
			}
		}
		out[i] = text
	}
	return out
}

var (
	inlineTag = regexp.MustCompile(`\{@\w+\s+([^}]*)\}`)
	markdown  = regexp.MustCompile(`\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])?`)
	htmlTag   = regexp.MustCompile(`</?[a-zA-Z][^>]*>`)
	role      = regexp.MustCompile(":[a-z:]+:`([^`]*)`")
	spaces    = regexp.MustCompile(`\s+`)
)

// plain takes inline markup off a text, and its quotation marks: in a question they
// would ask for the text between them, word for word.
func plain(text string) string {
	text = inlineTag.ReplaceAllString(text, "$1")
	text = role.ReplaceAllString(text, "$1")
	text = markdown.ReplaceAllString(text, "$1")
	text = htmlTag.ReplaceAllString(text, " ")
	text = strings.NewReplacer("``", "", "`", "", "**", "", `"`, "").Replace(text)
	return strings.TrimSpace(spaces.ReplaceAllString(text, " "))
}

// fewWords is the number below which a second sentence is added to the first.
const fewWords = 6

// sentences returns the first sentence of a text, and the second one where the
// first is short.
func sentences(text string) string {
	end := sentenceEnd(text, 0)
	if len(strings.Fields(text[:end])) < fewWords && end < len(text) {
		end = sentenceEnd(text, end)
	}
	return strings.TrimRight(strings.TrimSpace(text[:end]), ".:;,")
}

// sentenceEnd is the offset behind the sentence that goes on at from.
func sentenceEnd(text string, from int) int {
	for i := from; i < len(text); i++ {
		if c := text[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		before := text[:i+1]
		if i+1 == len(text) {
			return i + 1
		}
		rest := text[i+1:]
		abbreviated := strings.HasSuffix(before, "e.g.") || strings.HasSuffix(before, "i.e.") || strings.HasSuffix(before, "etc.") || strings.HasSuffix(before, "vs.")
		if rest[0] == ' ' && len(rest) > 1 && !abbreviated && (rest[1] < 'a' || rest[1] > 'z') {
			return i + 1
		}
	}
	return len(text)
}
