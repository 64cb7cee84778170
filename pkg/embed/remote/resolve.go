package remote

import (
	"cmp"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// nothing is written where no prefix is wanted although one is known.
const nothing = "none"

// Resolve fills in what is known of the model and was not written. What it returns
// is resolved already. The error is InvalidRequest, where something is missing or
// does not fit the model.
func Resolve(c config.Embedder) (config.Embedder, error) {
	known, ok := modelOf(c.Model)
	switch {
	case c.Dimensions == 0 && !ok:
		return c, document.Errorf(document.InvalidRequest, "embedder.dimensions is missing: freshet does not know the model %q; write how long its vectors are, such as 1024", c.Model)
	case c.Dimensions > 0 && ok && c.Dimensions != known.dims && (!known.shortens || c.Dimensions > known.dims):
		return c, document.Errorf(document.InvalidRequest, "embedder.dimensions is %d, but vectors of %s have %d values: correct it, or leave it out", c.Dimensions, c.Model, known.dims)
	}
	c.Dimensions = cmp.Or(c.Dimensions, known.dims)
	c.MaxTokens = cmp.Or(c.MaxTokens, known.tokens, unknownTokens)
	c.QueryPrefix = cmp.Or(c.QueryPrefix, known.query, nothing)
	c.PassagePrefix = cmp.Or(c.PassagePrefix, known.passage, nothing)
	return c, nil
}

// SpaceOf is what vectors of a section share. Errors are those of Resolve.
func SpaceOf(c config.Embedder) (embed.Space, error) {
	c, err := Resolve(c)
	if err != nil {
		return embed.Space{}, err
	}
	return embed.Space{Identity: identity(c), Dims: c.Dimensions}, nil
}

// identity names what vectors of a resolved section depend on, and how they are
// kept: compared by cosine, of length one, in int8. Where the server is found is
// none of it.
func identity(c config.Embedder) string {
	revision := ""
	if c.Revision != "" {
		revision = fmt.Sprintf("/revision:%q", c.Revision)
	}
	return fmt.Sprintf("%s/%s/%d/cosine-unit-int8/%d-tokens/query:%q/passage:%q/%s",
		c.Provider, c.Model, c.Dimensions, c.MaxTokens, c.QueryPrefix, c.PassagePrefix, embed.PrefixRule) + revision
}

// prefix is what really stands before a text.
func prefix(written string) string {
	if written == nothing {
		return ""
	}
	return written
}

// shorter is the length of vectors that the server has to be asked for, 0 where it
// is the model's own: servers refuse what their model cannot do.
func shorter(c config.Embedder) int {
	if known, ok := modelOf(c.Model); ok && known.shortens && c.Dimensions < known.dims {
		return c.Dimensions
	}
	return 0
}
