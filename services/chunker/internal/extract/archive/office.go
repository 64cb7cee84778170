package archive

import (
	"path"
	"strings"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// Office is a document of Office.
type Office struct {
	*Archive
	Root  *Node               // the element that it begins with
	Parts map[string]Relation // what that refers to, by id
}

// OpenOffice opens a document whose first part is an element of that name. The error is
// a Reason.
func OpenOffice(content []byte, root string) (*Office, error) {
	a, err := Open(content)
	if err != nil {
		return nil, err
	}
	main, err := a.Main()
	if err != nil {
		return nil, err
	}
	o := &Office{Archive: a}
	if o.Root, err = a.XML(main); err != nil {
		return nil, err
	}
	if o.Root == nil || o.Root.Name != root {
		return nil, extract.Damaged
	}
	o.Parts, err = a.Relations(main)
	return o, err
}

// Refers is the id of the part that an element stands for, which is not the id of the
// element.
func (n *Node) Refers() string {
	for _, a := range n.Attrs {
		if a.Name.Local == "id" && a.Name.Space != "" {
			return a.Value
		}
	}
	return ""
}

// Relations are what an entry of Office refers to, by id; those of "" are the document's.
func (a *Archive) Relations(name string) (map[string]Relation, error) {
	list := "_rels/.rels" // of the document itself
	if name != "" {
		list = path.Join(path.Dir(name), "_rels", path.Base(name)+".rels")
	}
	n, err := a.XML(list)
	if err != nil {
		return nil, err
	}
	out := map[string]Relation{}
	n.All("Relationship", func(r *Node) {
		if r.Attr("TargetMode") == "External" {
			return
		}
		kind := r.Attr("Type")
		out[r.Attr("Id")] = Relation{kind[strings.LastIndexByte(kind, '/')+1:], Resolve(name, r.Attr("Target"))}
	})
	return out, nil
}

// Relation is what an entry of Office refers to.
type Relation struct {
	Kind string // the last word of its type
	Name string // of the entry
}

// Main is the entry that a document of Office begins with, "" for none.
func (a *Archive) Main() (string, error) {
	all, err := a.Relations("")
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if r.Kind == "officeDocument" {
			return r.Name, nil
		}
	}
	return "", nil
}

// Title is the title among the properties of a document of Office, "" for none.
func (a *Archive) Title() string {
	n, err := a.XML("docProps/core.xml")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(n.Child("title").Inner())
}
