// Package html makes the text of web pages (.html, .htm, .xhtml): what people read of
// them, by its structure. Scripts, styles, navigation and forms are left out. What is no
// page but the code of one stays as it is: templates, fragments, pages whose text is made
// by a script.
package html

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	text := extract.Decode(content, declared(content))
	if !isPage(text) {
		return extract.Verbatim(text, "html", limit)
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil { // nested too deeply
		return extract.Verbatim(text, "html", limit)
	}
	f := extract.NewFlow(limit)
	f.Title(Title(doc))
	shown := Write(f, Main(doc))
	if isTemplate(doc) || shown < scripted(doc) || shown == 0 {
		return extract.Verbatim(text, "html", limit)
	}
	return f.Text()
}

var charset = regexp.MustCompile(`(?i)<(?:meta[^>]+charset|\?xml[^>]+encoding)\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// declared is the encoding that a page says that it is in.
func declared(content []byte) string {
	if m := charset.FindSubmatch(content[:min(len(content), 4<<10)]); m != nil {
		return string(m[1])
	}
	return ""
}

// isPage reports whether a text begins as a whole page does, behind comments and a
// declaration of XML.
func isPage(text string) bool {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\ufeff")
		var end string
		switch {
		case strings.HasPrefix(text, "<!--"):
			end = "-->"
		case strings.HasPrefix(text, "<?xml"):
			end = "?>"
		default:
			return begins(text, "<!doctype html") || begins(text, "<html")
		}
		i := strings.Index(text, end)
		if i < 0 {
			return false
		}
		text = text[i+len(end):]
	}
}

func begins(text, prefix string) bool {
	return len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix)
}

// Title is the title of a page.
func Title(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.DataAtom == atom.Title && n.Namespace == "" {
			return inner(n)
		}
	}
	return ""
}

// Main is the part of a page that is its own: the only main element that it has, else
// the only article, else all of it.
func Main(doc *html.Node) *html.Node {
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" },
		func(n *html.Node) bool { return n.DataAtom == atom.Article },
	} {
		var found []*html.Node
		for n := range doc.Descendants() {
			if n.Type == html.ElementNode && is(n) && !leftOut(n) {
				found = append(found, n)
			}
		}
		if len(found) == 1 && len(found[0].Data) > 0 && 2*readable(found[0]) > readable(doc) {
			return found[0]
		}
	}
	return doc
}

// readable counts the bytes of text below a node that people see.
func readable(n *html.Node) int {
	if n.Type == html.TextNode {
		return len(strings.TrimSpace(n.Data))
	}
	if leftOut(n) {
		return 0
	}
	sum := 0
	for c := range n.ChildNodes() {
		sum += readable(c)
	}
	return sum
}

// marks are how templates say where something is to be put in.
var marks = []string{"{{", "{%", "<%", "{#", "[%", "${"}

// isTemplate reports whether a page is one that a program fills in. Code that a page
// shows may have the marks.
func isTemplate(n *html.Node) bool {
	switch n.Type {
	case html.CommentNode:
		return strings.HasPrefix(n.Data, "?php") || strings.HasPrefix(n.Data, "?=")
	case html.TextNode:
		return marked(n.Data)
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Pre, atom.Code, atom.Script, atom.Style, atom.Samp, atom.Textarea, atom.Kbd:
			return false
		}
		for _, a := range n.Attr {
			if a.Namespace == "" && (strings.HasPrefix(a.Key, "th:") || strings.HasPrefix(a.Key, "{{") || marked(a.Val)) {
				return true
			}
		}
	}
	for c := range n.ChildNodes() {
		if isTemplate(c) {
			return true
		}
	}
	return false
}

func marked(text string) bool {
	for _, m := range marks {
		if strings.Contains(text, m) {
			return true
		}
	}
	return false
}

// written is the mean length of a line in bytes above which no person wrote a script.
const written = 160

// scripted counts the bytes of scripts in a page that people wrote.
func scripted(doc *html.Node) int {
	sum := 0
	for n := range doc.Descendants() {
		if n.Type != html.TextNode || n.Parent == nil || n.Parent.DataAtom != atom.Script {
			continue
		}
		if lines := 1 + strings.Count(n.Data, "\n"); len(n.Data)/lines <= written && attr(n.Parent, "type") != "application/ld+json" {
			sum += len(bytes.TrimSpace([]byte(n.Data)))
		}
	}
	return sum
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == key {
			return true
		}
	}
	return false
}
