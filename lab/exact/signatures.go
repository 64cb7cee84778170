package exact

import (
	"context"
	"slices"
	"strings"
)

// signatures are those of the lines, which stand in the tree once, in which a
// function or a method is defined.
func signatures(ctx context.Context, root string, copied []Question) ([]Question, error) {
	named, err := names(ctx, root)
	if err != nil {
		return nil, err
	}
	defined := map[Spot]bool{}
	for i := range named {
		for _, s := range named[i].Right {
			defined[s] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(copied), func(q Question) bool {
		return !defined[q.Right[0]] || !strings.ContainsAny(q.Text, "(")
	}), nil
}
