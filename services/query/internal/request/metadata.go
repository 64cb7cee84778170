package request

import (
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

// Described reports whether a document's metadata lets it through.
func (s *Scope) Described(has document.PackedMetadata) bool {
	return has.Fits(s.Metadata) && !s.Left.described(has)
}

// AsksMetadata reports whether Described leaves anything out.
func (s *Scope) AsksMetadata() bool { return len(s.Metadata)+len(s.Left.Metadata) > 0 }

// described reports whether metadata has something that is left out.
func (l *Left) described(has document.PackedMetadata) bool {
	for key, values := range l.Metadata {
		if has.Fits(document.Metadata{key: values}) {
			return true
		}
	}
	return false
}

// described is the metadata of the filters of a question: meta:KEY=VALUE.
func described(filters []reading.Filter) (document.Metadata, error) {
	var out document.Metadata
	for _, f := range filters {
		if f.Name != reading.Metadata {
			continue
		}
		key, value, _ := strings.Cut(f.Value, "=")
		if err := document.CheckMetadataKey(key); err != nil {
			return nil, err
		}
		if err := document.CheckMetadataValue(key, value); err != nil {
			return nil, err
		}
		out = joined(out, document.Metadata{key: {value}})
	}
	return out, nil
}

// joined is the metadata of both. It changes neither.
func joined(a, b document.Metadata) document.Metadata {
	if len(b) == 0 {
		return a
	}
	out := document.Metadata{}
	for _, m := range []document.Metadata{a, b} {
		for key, values := range m {
			out[key] = slices.Concat(out[key], values)
		}
	}
	return out
}
