package tokenizer

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The vocabularies that are there.
const (
	O200k  = "o200k_base"
	Cl100k = "cl100k_base"
)

// Tokenizer counts the tokens of texts. Its vocabulary takes 12 MB, so it is loaded
// when something has to be counted. It is safe for concurrent use.
type Tokenizer struct {
	name string
	load func() *codec.Codec
}

var vocabularies = map[string]func() *codec.Codec{
	O200k:  codec.NewO200kBase,
	Cl100k: codec.NewCl100kBase,
}

// Names lists the vocabularies.
func Names() []string { return slices.Sorted(maps.Keys(vocabularies)) }

// New returns a counter by the vocabulary of a name. An error is an InvalidRequest.
func New(name string) (*Tokenizer, error) {
	load := vocabularies[name]
	if load == nil {
		return nil, document.Errorf(document.InvalidRequest, "there is no tokenizer %q: choose %s", name, strings.Join(Names(), " or "))
	}
	return &Tokenizer{name: name, load: sync.OnceValue(load)}, nil
}

// Name is that of the vocabulary.
func (t *Tokenizer) Name() string { return t.name }

// Count returns the tokens of a text. What cannot be split counts a token a byte,
// which no text exceeds.
func (t *Tokenizer) Count(text string) int {
	n, err := t.load().Count(text)
	if err != nil {
		return len(text)
	}
	return n
}

// longestToken bounds the bytes of one token of both vocabularies: 128 spaces, and
// what stands in the longest run of signs.
const longestToken = 256

// Fits reports whether a text has at most so many tokens. Each token is a byte at
// least, so short texts are not counted.
func (t *Tokenizer) Fits(text string, most int) bool {
	switch {
	case len(text) <= most:
		return true
	case len(text) > most*longestToken:
		return false
	}
	return t.Count(text) <= most
}

// Counter counts as one model does, or as near to it as can be told.
type Counter struct {
	*Tokenizer
	// Factor is what a count of the vocabulary is multiplied by; 1 where the model
	// has that vocabulary, so that the count is exact.
	Factor float64
}

// Count returns the tokens of a text, rounded up.
func (c Counter) Count(text string) int {
	n := c.Tokenizer.Count(text)
	if c.Factor == 1 {
		return n
	}
	return int(math.Ceil(float64(n) * c.Factor))
}

// Cut returns the beginning of a text that has at most so many tokens, at the border
// of a character.
func (c Counter) Cut(text string, most int) string {
	if len(text) > most*longestToken {
		text = text[:most*longestToken]
	}
	if len(text) <= int(float64(most)/c.Factor) || c.Count(text) <= most {
		return strings.ToValidUTF8(text, "")
	}
	_, tokens, err := c.load().Encode(text)
	if err != nil { // what cannot be split counts a token a byte
		return strings.ToValidUTF8(text[:min(len(text), int(float64(most)/c.Factor))], "")
	}
	size := 0
	for _, token := range tokens[:min(len(tokens), int(float64(most)/c.Factor))] {
		size += len(token)
	}
	return strings.ToValidUTF8(text[:min(size, len(text))], "")
}
