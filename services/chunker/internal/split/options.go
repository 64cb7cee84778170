// Package split cuts a content into passages. It knows five ways: by a list
// of items that a parser found (Pack), by indentation and blank lines for
// other code, by the parts of data, by headings, and recursively for prose. All are
// pure functions of their arguments, linear in the size of the content, and
// accept any bytes. Whoever changes where they cut raises the version in
// contract.Cut, so that everything is cut anew.
package split

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Options are the sizes of passages. The zero value stands for the defaults.
type Options struct {
	// Target is the size in bytes up to which small neighbours of code are
	// merged.
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
	d := config.Default().Chunker
	if o.Target == 0 {
		o.Target = d.Target
	}
	if o.Max == 0 {
		o.Max = 2 * o.Target
	}
	if o.Prose == 0 {
		o.Prose = d.Prose
		if o.Overlap == 0 {
			o.Overlap = d.Overlap
		}
	}
}

// Signature names the version of the splitters and every parameter.
func (o Options) Signature() string {
	o.SetDefaults()
	return contract.Cut(o).Signature()
}
