package exact

import (
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// listed returns the paths of what is indexed: what is left out on purpose, such as
// minified files, is not asked for.
func listed(ctx context.Context, nc *nats.Conn) (map[string]bool, error) {
	paths := map[string]bool{}
	err := client.Files.Each(ctx, nc, contract.FilesRequest{Paths: true}, func(part contract.FilesPart) error {
		for i := range part.Files {
			paths[part.Files[i].Path.Raw()] = true
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list what is indexed: %w", err)
	}
	return paths, nil
}

// within leaves out places in files that are not among paths, and the questions
// that have no others.
func within(all []Question, paths map[string]bool) []Question {
	var out []Question
	for _, q := range all {
		q.Right = slices.DeleteFunc(slices.Clone(q.Right), func(s Spot) bool { return !paths[s.Path] })
		if len(q.Right) > 0 {
			out = append(out, q)
		}
	}
	return out
}
