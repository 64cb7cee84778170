package cutter

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// Definition is a function or method of a content, and its doc comment.
type Definition = syntax.Definition

// Definitions lists the functions and methods of a content in the order in which
// they stand. There are none in a language without a grammar, and none where the
// parser fails, which why tells. The error is ctx's.
func (c *Cutter) Definitions(ctx context.Context, path document.Path, content []byte) (list []Definition, why string, err error) {
	lang := language.Detect(path, content)
	if !language.Get(lang).Grammar {
		return nil, "", nil
	}
	list, why, err = c.pool.Definitions(ctx, lang, content)
	if err != nil {
		return nil, "", fmt.Errorf("list the functions of %s: %w", path, err)
	}
	return list, why, nil
}
