// Package epub makes the text of books (.epub): their chapters in the order in which they
// are read, each as a web page.
package epub

import (
	"net/url"
	"regexp"
	"strings"

	nethtml "golang.org/x/net/html"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/archive"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/html"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	a, err := archive.Open(content)
	if err != nil {
		return extract.Text{}, err
	}
	container, err := a.XML("META-INF/container.xml")
	if err != nil {
		return extract.Text{}, err
	}
	main := container.Child("rootfiles", "rootfile").Attr("full-path")
	pack, err := a.XML(main)
	if err != nil {
		return extract.Text{}, err
	}
	if pack == nil {
		return extract.Text{}, extract.Damaged
	}
	locked, err := encrypted(a)
	if err != nil {
		return extract.Text{}, err
	}
	f := extract.NewFlow(limit)
	f.Title(pack.Child("metadata", "title").Inner())
	items, titles := map[string]*archive.Node{}, map[string]string{}
	pack.Child("manifest").All("item", func(n *archive.Node) { items[n.Attr("id")] = n })
	if toc := items[pack.Child("spine").Attr("toc")]; toc != nil {
		name := entry(main, toc.Attr("href"))
		ncx, err := a.XML(name)
		if err != nil {
			return extract.Text{}, err
		}
		contents(ncx, name, titles)
	}
	var names []string
	pack.Child("spine").All("itemref", func(n *archive.Node) {
		item := items[n.Attr("idref")]
		if item == nil || n.Attr("linear") == "no" || strings.Contains(" "+item.Attr("properties")+" ", " nav ") {
			return
		}
		names = append(names, entry(main, item.Attr("href")))
	})
	for _, name := range names {
		if locked[name] {
			return extract.Text{}, extract.Encrypted
		}
		page, err := a.Read(name)
		if err != nil {
			return extract.Text{}, err
		}
		doc, err := nethtml.Parse(strings.NewReader(closed.ReplaceAllString(extract.Decode(page, ""), "<$1$2></$1>")))
		if err != nil || page == nil {
			continue // nested too deeply, or missing
		}
		f.Cut()
		if title := titles[name]; title != "" && !headed(doc) {
			f.Heading(1, title)
		}
		html.Write(f, doc)
		if f.Full() {
			break
		}
	}
	return f.Text()
}

// closed are elements that XML lets be closed at once, and HTML does not: what follows
// them would be taken for theirs.
var closed = regexp.MustCompile(`<(title|script|style|a|p|div|span|i|b|em|strong|td|th|li|h[1-6])(\s[^<>]*)?/>`)

// headed reports whether a chapter has a heading of its own.
func headed(doc *nethtml.Node) bool {
	for n := range doc.Descendants() {
		if n.Type == nethtml.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '3' {
			return true
		}
	}
	return false
}

// entry is that which a reference means, without the place in it.
func entry(from, ref string) string {
	ref, _, _ = strings.Cut(ref, "#")
	if plain, err := url.PathUnescape(ref); err == nil {
		ref = plain
	}
	return archive.Resolve(from, ref)
}

// contents notes the titles of a table of contents by the chapters that they are of, the
// first of each.
func contents(n *archive.Node, name string, titles map[string]string) {
	if n == nil {
		return
	}
	if n.Name == "navPoint" {
		to := entry(name, n.Child("content").Attr("src"))
		if titles[to] == "" {
			titles[to] = extract.Line(n.Child("navLabel").Inner())
		}
	}
	for _, c := range n.Children {
		contents(c, name, titles)
	}
}

// encrypted are the entries that are, fonts aside, which readers can open.
func encrypted(a *archive.Archive) (map[string]bool, error) {
	list, err := a.XML("META-INF/encryption.xml")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	list.All("EncryptedData", func(n *archive.Node) {
		out[entry("", n.Child("CipherData", "CipherReference").Attr("URI"))] = true
	})
	return out, nil
}
