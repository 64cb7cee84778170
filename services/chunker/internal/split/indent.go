package split

import (
	"bytes"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

// indented cuts code without a parser: an item begins at a definition or
// behind a blank line, at the smallest indentation; comments directly above
// belong to it. What is too large is taken apart at the next indentation.
func indented(text *Text, lang string, opt Options) []document.Span {
	o := outliner{text: text, opt: opt, data: language.Get(lang).Data}
	first, last, ok := text.trim(0, text.Lines()-1)
	if !ok {
		return nil
	}
	var items []Item
	if n := o.header(first, last); n > first {
		items = append(items, Item{First: first, Last: n - 1, Kind: document.KindHeader})
		first = n
	}
	return Pack(text, lang, append(items, o.outline(first, last, Item{}, 0)...), opt)
}

type outliner struct {
	text *Text
	opt  Options
	data bool // of keys and values
}

// maxNesting limits how often one line is looked at again.
const maxNesting = 8

// header returns the line behind the imports at the top, or first.
func (o *outliner) header(first, last int) int {
	end := first
	if o.data {
		return end
	}
	depth := 0 // of parentheses of an import list
	for i := first; i <= last; i++ {
		line := trimSpace(o.text.Line(i))
		switch {
		case depth > 0:
			depth += bytes.Count(line, []byte("(")) + bytes.Count(line, []byte("{")) - bytes.Count(line, []byte(")")) - bytes.Count(line, []byte("}"))
			end = i + 1
		case imports(line):
			depth = max(0, bytes.Count(line, []byte("("))+bytes.Count(line, []byte("{"))-bytes.Count(line, []byte(")"))-bytes.Count(line, []byte("}")))
			end = i + 1
		case len(line) == 0 || comment(line):
		default:
			return end
		}
	}
	return end
}

// imports reports whether a line belongs to the head of a file.
func imports(line []byte) bool {
	n := wordLen(line)
	switch string(line[:n]) {
	case "import", "package", "using", "require", "require_relative", "include", "open", "from", "alias", "library", "source":
		return n < len(line) && bytes.IndexByte(line, '=') < 0 && line[len(line)-1] != '{' && (line[n] == ' ' || line[n] == '\t' || line[n] == '(')
	case "use":
		return n < len(line) && line[n] == ' '
	case "namespace":
		return line[len(line)-1] == ';'
	case "":
		return bytes.HasPrefix(line, []byte("#include")) || bytes.HasPrefix(line, []byte("<?php")) ||
			bytes.HasPrefix(line, []byte("#pragma")) || bytes.HasPrefix(line, []byte("#import")) || bytes.HasPrefix(line, []byte("#!"))
	}
	return false
}

// comment reports whether a trimmed line is a comment or an attribute that
// belongs to what follows.
func comment(line []byte) bool {
	for _, mark := range commentMarks {
		if bytes.HasPrefix(line, mark) {
			return true
		}
	}
	return len(line) > 1 && line[0] == '*' && (line[1] == ' ' || line[1] == '/') || string(line) == "*"
}

var commentMarks = [][]byte{
	[]byte("//"), []byte("# "), []byte("##"), []byte("#["), []byte("/*"), []byte("--"), []byte(";;"), []byte("(*"), []byte("@"),
	[]byte("{-"), []byte("<!--"), []byte("%%"), []byte("\"\"\""), []byte("[<"),
}

// outline finds the items of a stretch of lines inside of owner.
func (o *outliner) outline(first, last int, owner Item, nesting int) []Item {
	base := o.base(first, last)
	if base < 0 {
		return nil
	}
	var out []Item
	defined := 0           // line of the current item's definition
	leading := true        // the current item has only comments so far
	blank, open := true, 0 // the line before is blank; open counts an unfinished block comment
	begin := func(i int) {
		o.finish(out, i-1, defined, base, nesting)
		out = append(out, Item{First: i, Last: last})
		defined, leading = i, true
	}
	for i := first; i <= last; i++ {
		line := o.text.Line(i)
		indent := indentOf(line)
		if indent < 0 {
			blank = true
			continue
		}
		line = trimSpace(line)
		wasBlank := blank
		blank = false
		if open > 0 {
			if bytes.Contains(line, []byte("*/")) {
				open = 0
			}
			continue
		}
		if len(out) == 0 {
			begin(first)
		}
		if indent > base {
			if leading && !comment(line) {
				leading, defined = false, i
			}
			continue
		}
		isComment := comment(line)
		if bytes.HasPrefix(line, []byte("/*")) && !bytes.Contains(line, []byte("*/")) {
			open = 1
		}
		if isComment {
			if !leading {
				begin(i)
			}
			continue
		}
		var kind, name string
		if o.data {
			kind, name = entry(line)
		} else {
			kind, name = definition(line, nesting == 0)
		}
		if kind == "" && string(line) != "{" && wasBlank && !closes(line) && !leading {
			begin(i)
		}
		if kind != "" {
			if !leading {
				begin(i)
			}
			item := &out[len(out)-1]
			item.Kind, item.Symbol = kind, qualify(owner, name)
			item.Signature = signature(line)
			if kind == document.KindFunction && (owner.Kind == document.KindClass || owner.Kind == document.KindType) {
				item.Kind = document.KindMethod
			}
			defined = i
		}
		if leading {
			leading, defined = false, i
		}
	}
	o.finish(out, last, defined, base, nesting)
	return out
}

// base is the smallest indentation, closing lines left aside where there are
// others; -1 where all lines are blank.
func (o *outliner) base(first, last int) int {
	base, closing := -1, -1
	for i := first; i <= last; i++ {
		line := o.text.Line(i)
		n := indentOf(line)
		switch {
		case n < 0:
		case closes(line):
			if closing < 0 || n < closing {
				closing = n
			}
		case base < 0 || n < base:
			base = n
		}
	}
	if base < 0 {
		return closing
	}
	return base
}

// finish ends the last of items at line last and takes it apart where it is
// too large and something in it is indented further than base. defined is the
// line of its definition.
func (o *outliner) finish(items []Item, last, defined, base, nesting int) {
	if len(items) == 0 {
		return
	}
	item := &items[len(items)-1]
	item.Last = last
	if o.text.Size(item.First, item.Last) <= o.opt.Max || nesting >= maxNesting {
		return
	}
	head := defined
	if head < last && string(trimSpace(o.text.Line(head+1))) == "{" {
		head++
	}
	if head >= last || o.base(head+1, last) <= base {
		return
	}
	if inner := o.outline(head+1, last, *item, nesting+1); len(inner) > 0 {
		inner[0].First = head + 1
		item.Inner = append([]Item{{First: item.First, Last: head}}, inner...)
	}
}

func qualify(owner Item, name string) string {
	if owner.Symbol == "" || owner.Kind == document.KindModule {
		return name
	}
	return owner.Symbol + "." + name
}

// signature is a line of a definition without what opens its body.
func signature(line []byte) string {
	line = bytes.TrimRight(line, " \t{:")
	if len(line) > 200 {
		line = line[:200]
	}
	return string(line)
}
