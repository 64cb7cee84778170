package remote

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/freshet-dev/freshet/pkg/document"
)

// metaFlag takes metadata, KEY=VALUE each time.
type metaFlag document.Metadata

// addMeta adds the flag --meta.
func addMeta(flags *pflag.FlagSet, into *metaFlag, usage string) {
	flags.Var(into, "meta", usage)
}

// askMeta is the usage of --meta where it filters.
const askMeta = "only what was put with this metadata, `KEY=VALUE` (may be repeated: of one key any, of several keys all)"

// Set adds one KEY=VALUE.
func (m *metaFlag) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok {
		return document.Errorf(document.InvalidRequest, "%q is no metadata: give KEY=VALUE", text)
	}
	if err := document.CheckMetadataKey(key); err != nil {
		return err
	}
	if err := document.CheckMetadataValue(key, value); err != nil {
		return err
	}
	if *m == nil {
		*m = metaFlag{}
	}
	(*m)[key] = append((*m)[key], value)
	return nil
}

// String is the metadata as it was given.
func (m *metaFlag) String() string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(*m)) {
		for _, value := range (*m)[key] {
			out = append(out, key+"="+value)
		}
	}
	return strings.Join(out, " ")
}

// Type names what the flag takes.
func (m *metaFlag) Type() string { return "KEY=VALUE" }
