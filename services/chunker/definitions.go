package chunker

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// Definition is a function or method of a content, and its doc comment.
type Definition = syntax.Definition

// Language names the language of a content as passages have it.
func Language(path document.Path, content []byte) string { return split.Language(path, content) }

// HasSyntax reports whether the functions of a language can be listed.
func HasSyntax(language string) bool { return syntax.Supported(language) }

// Definitions lists the functions and methods of a content in the order in which
// they stand. There are none in a language without a grammar, and none where the
// parser fails, which why tells. The error is ctx's.
func (c *Cutter) Definitions(ctx context.Context, path document.Path, content []byte) (list []Definition, why string, err error) {
	language := split.Language(path, content)
	if !syntax.Supported(language) {
		return nil, "", nil
	}
	list, why, err = c.pool.Definitions(ctx, language, content)
	if err != nil {
		return nil, "", fmt.Errorf("list the functions of %s: %w", path, err)
	}
	return list, why, nil
}
