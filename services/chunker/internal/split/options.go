// Package split cuts a content into passages. It knows four ways: by a list
// of items that a parser found (Pack), by indentation and blank lines for
// other code, by headings for Markdown, and recursively for prose. All are
// pure functions of their arguments, linear in the size of the content, and
// accept any bytes. Whoever changes where they cut raises the version in
// contract.Cut, so that everything is cut anew.
package split

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Options are the sizes of passages. The zero value stands for the defaults.
type Options struct {
	// Target is the size in bytes up to which small neighbours of code are
	// merged. The bundled embedding model was measured at 1,500.
	Target int `json:"target"`
	// Max is the size in bytes above which a definition is split.
	Max int `json:"max"`
	// Prose is the largest passage of prose in characters.
	Prose int `json:"prose"`
	// Overlap is how many characters a passage of prose repeats at most of
	// the one before it.
	Overlap int `json:"overlap"`
}

// SetDefaults fills what is zero.
func (o *Options) SetDefaults() {
	if o.Target == 0 {
		o.Target = 1500
	}
	if o.Max == 0 {
		o.Max = 2 * o.Target
	}
	if o.Prose == 0 {
		o.Prose = 1000
		if o.Overlap == 0 {
			o.Overlap = 200
		}
	}
}

// Validate returns the first error of kind InvalidRequest.
func (o *Options) Validate() error {
	switch {
	case o.Target < 64:
		return document.Errorf(document.InvalidRequest, "chunk target is %d bytes: use at least 64", o.Target)
	case o.Max < o.Target:
		return document.Errorf(document.InvalidRequest, "chunk maximum of %d bytes is below the target of %d: raise it", o.Max, o.Target)
	case o.Prose < 64:
		return document.Errorf(document.InvalidRequest, "prose chunk is %d characters: use at least 64", o.Prose)
	case o.Overlap < 0 || o.Overlap > o.Prose/2:
		return document.Errorf(document.InvalidRequest, "prose overlap is %d characters: use 0 to %d, half of a chunk", o.Overlap, o.Prose/2)
	}
	return nil
}

// Signature names the version of the splitters and every parameter.
func (o Options) Signature() string {
	o.SetDefaults()
	return contract.Cut(o).Signature()
}
