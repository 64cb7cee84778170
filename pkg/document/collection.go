package document

import (
	"regexp"
	"slices"
	"strings"
)

// Collection names documents that are embedded and indexed apart from others. One that a
// user configures begins with the name of another and a hyphen, such as docs-handbook: it
// is analysed and ranked as that one.
type Collection string

// The collections that exist without configuration.
const (
	CollectionCode Collection = "code"
	CollectionDocs Collection = "docs"
)

// Collections lists those. It must not be changed.
var Collections = []Collection{CollectionCode, CollectionDocs}

// Base is the collection without configuration that c is like: itself, or what its name
// begins with. A name that begins with neither is like code.
func (c Collection) Base() Collection {
	if base, _, own := strings.Cut(string(c), "-"); own && slices.Contains(Collections, Collection(base)) {
		return Collection(base)
	}
	if c == CollectionDocs {
		return c
	}
	return CollectionCode
}

// In is where the documents of c are among collections that there are: c itself, or where
// that is not among them, the one that it is like. "" stays "".
func (c Collection) In(all []Collection) Collection {
	if c == "" || slices.Contains(all, c) {
		return c
	}
	return c.Base()
}

// Prose reports whether the documents of a collection are text for people.
func (c Collection) Prose() bool { return c.Base() == CollectionDocs }

var ownCollection = regexp.MustCompile(`^(code|docs)-[a-z][a-z0-9]{0,30}$`)

// CheckOwn returns nil, or an InvalidRequest where c is no name of a collection that a user
// may configure.
func (c Collection) CheckOwn() error {
	if !ownCollection.MatchString(string(c)) {
		return Errorf(InvalidRequest, "%q is no name of a collection: use code- or docs-, which says what it is like, and up to 31 of a-z and 0-9, such as docs-handbook", Shorten(string(c)))
	}
	return nil
}
