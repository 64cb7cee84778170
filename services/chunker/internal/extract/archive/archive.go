// Package archive reads documents that are archives of XML (zip), within limits: of what
// is unpacked, of the entries, and of how deep elements are nested.
package archive

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// The limits of a document. A book of a thousand chapters has as many entries; an
// entry of XML packs to a tenth, a bomb to a thousandth.
const (
	mostEntries  = 10_000
	mostUnpacked = 256 << 20 // bytes of all entries that are read
	mostRatio    = 200       // unpacked to packed, of what is above ratioFrom
	ratioFrom    = 8 << 20
	mostDepth    = 256 // of elements
)

// Archive is an opened document.
type Archive struct {
	files map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

// Open reads the list of entries. The error is a Reason.
func Open(content []byte) (*Archive, error) {
	if bytes.HasPrefix(content, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		// A container of old, in which Office puts a document with a password.
		if bytes.Contains(content, wide("EncryptedPackage")) {
			return nil, extract.Encrypted
		}
		return nil, extract.Damaged
	}
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, extract.Damaged
	}
	if len(z.File) > mostEntries {
		return nil, extract.TooMany
	}
	a := &Archive{files: make(map[string]*zip.File, len(z.File)), left: mostUnpacked}
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			return nil, extract.Encrypted
		}
		if _, twice := a.files[f.Name]; !twice {
			a.files[f.Name] = f
		}
	}
	return a, nil
}

func wide(s string) []byte {
	out := make([]byte, 0, 2*len(s))
	for i := range len(s) {
		out = append(out, s[i], 0)
	}
	return out
}

// Has reports whether there is an entry of that name.
func (a *Archive) Has(name string) bool { return a.files[name] != nil }

// Read unpacks an entry; nil for one that is not there. The error is a Reason.
func (a *Archive) Read(name string) ([]byte, error) {
	f := a.files[name]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, extract.Damaged
	}
	defer func() { _ = r.Close() }() // only read
	most := a.left
	if packed := int64(f.CompressedSize64); packed < most/mostRatio {
		most = max(ratioFrom, packed*mostRatio)
	}
	out, err := io.ReadAll(io.LimitReader(r, most+1))
	a.left -= int64(len(out))
	switch {
	case int64(len(out)) > most || a.left < 0:
		return nil, extract.Bomb
	case err != nil:
		return nil, extract.Damaged
	}
	return out, nil
}

// Node is an element of XML, or a text where Name is empty. Names are without namespace.
type Node struct {
	Name     string
	Attrs    []xml.Attr
	Text     string
	Children []*Node
}

// Attr is an attribute by its name without namespace, "" for none.
func (n *Node) Attr(name string) string {
	if n == nil {
		return ""
	}
	for i := range n.Attrs {
		if n.Attrs[i].Name.Local == name {
			return n.Attrs[i].Value
		}
	}
	return ""
}

// Child is the first child of that name, nil for none. It may be asked of nil.
func (n *Node) Child(names ...string) *Node {
	for _, name := range names {
		if n == nil {
			return nil
		}
		var found *Node
		for _, c := range n.Children {
			if c.Name == name {
				found = c
				break
			}
		}
		n = found
	}
	return n
}

// All calls yield with each element of that name below n, and not with those in one.
func (n *Node) All(name string, yield func(*Node)) {
	if n == nil {
		return
	}
	for _, c := range n.Children {
		if c.Name == name {
			yield(c)
			continue
		}
		c.All(name, yield)
	}
}

// Inner is all text below n.
func (n *Node) Inner() string {
	var b strings.Builder
	n.inner(&b)
	return b.String()
}

func (n *Node) inner(b *strings.Builder) {
	if n == nil {
		return
	}
	b.WriteString(n.Text)
	for _, c := range n.Children {
		c.inner(b)
	}
}

// XML reads an entry as XML; nil for one that is not there. The error is a Reason.
func (a *Archive) XML(name string) (*Node, error) {
	content, err := a.Read(name)
	if err != nil || content == nil {
		return nil, err
	}
	return Parse(content)
}

// Decoder reads XML in any encoding, without entities of its own.
func Decoder(content []byte) *xml.Decoder {
	if bytes.HasPrefix(content, []byte{0xff, 0xfe}) || bytes.HasPrefix(content, []byte{0xfe, 0xff}) {
		content = []byte(extract.Decode(content, ""))
		if i := bytes.Index(content, []byte("?>")); i >= 0 && bytes.HasPrefix(content, []byte("<?xml")) {
			content = content[i+2:]
		}
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	d.Strict = false
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if e, err := htmlindex.Get(label); err == nil {
			return e.NewDecoder().Reader(in), nil
		}
		return in, nil // it may be UTF-8 all the same
	}
	return d
}

// Parse reads XML. The error is a Reason.
func Parse(content []byte) (*Node, error) {
	d := Decoder(content)
	root := &Node{}
	stack := []*Node{root}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, extract.Damaged
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			if len(stack) > mostDepth {
				return nil, extract.TooMany
			}
			n := &Node{Name: t.Name.Local, Attrs: t.Attr}
			top.Children = append(top.Children, n)
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) > 1 {
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			if len(stack) > 1 {
				top.Children = append(top.Children, &Node{Text: string(t)})
			}
		}
	}
	if len(root.Children) == 0 {
		return nil, extract.Damaged
	}
	for _, c := range root.Children {
		if c.Name != "" {
			return c, nil
		}
	}
	return nil, extract.Damaged
}

// Resolve is the entry that a reference in another one means.
func Resolve(from, ref string) string {
	if strings.HasPrefix(ref, "/") {
		return strings.TrimPrefix(path.Clean(ref), "/")
	}
	return path.Join(path.Dir(from), ref)
}
