package split

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// furtherNames are the names that items define beside symbol, each once.
func furtherNames(items []Item, symbol string) []string {
	var out []string
	add := func(name string) {
		name = valid(name)
		if name != "" && name != symbol && len(out) < document.MaxNames && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, item := range items {
		if item.Kind == document.KindHeader || item.Kind == document.KindBlock || item.Kind == document.KindSection {
			continue
		}
		add(item.Symbol)
		for _, name := range item.Names {
			add(name)
		}
	}
	return out
}
