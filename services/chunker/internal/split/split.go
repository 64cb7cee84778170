package split

import (
	"bytes"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

// Split cuts a content of a language that no parser is used for.
func Split(lang string, content []byte, opt Options) []document.Span {
	opt.SetDefaults()
	text := NewText(content)
	switch lang {
	case "markdown":
		return markdown(text, opt)
	case "asciidoc":
		return headed(text, &asciiDoc{}, opt)
	case "log":
		return byTime(text, opt)
	case "org":
		return headed(text, &org{}, opt)
	case "roff":
		return headed(text, roff{}, opt)
	case "rst":
		return headed(text, &restructured{}, opt)
	case "graphql":
		return byGraphQL(text, opt)
	case "json":
		return byJSON(text, opt)
	case "sql":
		return bySQL(text, opt)
	case "xml":
		return byXML(text, opt)
	case "yaml":
		return byYAML(text, opt)
	}
	switch {
	case language.Get(lang).Prose && !looksLikeCode(text):
		return recursive(text, opt)
	}
	return indented(text, lang, opt)
}

// One makes one passage of a content, nil where there is nothing to read in it.
func One(content []byte, kind string) []document.Span {
	text := NewText(content)
	first, last, ok := text.trim(0, text.Lines()-1)
	if !ok {
		return nil
	}
	return []document.Span{{
		StartByte: text.Start(first), EndByte: text.End(last), StartLine: first + 1, EndLine: last + 1, Kind: kind,
	}}
}

// Fallback cuts a content of a language whose parser failed, and notes the
// reason on every passage.
func Fallback(lang string, content []byte, opt Options, reason string) []document.Span {
	opt.SetDefaults()
	spans := indented(NewText(content), lang, opt)
	for i := range spans {
		spans[i].Fallback = reason
	}
	return spans
}

// looksLikeCode tells code from prose where the name of the file does not: a
// third of the lines end or begin as only code does.
func looksLikeCode(text *Text) bool {
	lines, code := 0, 0
	for i := range min(text.Lines(), 200) {
		line := bytes.TrimRight(text.Line(i), " \t")
		if len(line) == 0 {
			continue
		}
		lines++
		switch line[len(line)-1] {
		case '{', '}', ';', '\\':
			code++
		default:
			if text.Line(i)[0] == '#' && !bytes.HasPrefix(text.Line(i), []byte("# ")) {
				code++
			}
		}
	}
	return lines > 3 && code*3 >= lines
}
