package remote

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/document"
)

// collectionsFlag are the collections that are asked; none is all.
type collectionsFlag []document.Collection

// addCollections adds the flag --collection.
func addCollections(flags *pflag.FlagSet, into *collectionsFlag) {
	flags.Var(into, "collection", "only this `collection`: code, docs, or one that is configured (may be repeated)")
}

// Set adds one.
func (c *collectionsFlag) Set(text string) error {
	*c = append(*c, document.Collection(text))
	return nil
}

// String prints them.
func (c *collectionsFlag) String() string {
	names := make([]string, len(*c))
	for i, name := range *c {
		names[i] = string(name)
	}
	return strings.Join(names, ",")
}

// Type names the kind of value in usage messages.
func (*collectionsFlag) Type() string { return "collection" }
