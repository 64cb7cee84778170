// Package description tells what the HTTP interface takes and answers.
package description

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/goccy/go-yaml"
)

// Whole returns openapi.yaml of a folder of schemas as JSON, with every schema that
// it refers to within it, so that it can be read without anything else.
func Whole(files fs.FS) ([]byte, error) {
	text, err := fs.ReadFile(files, "openapi.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	b := &bundle{files: files, schemas: map[string]any{}}
	b.rewrite(doc, "")
	for len(b.wanted) > 0 && b.err == nil {
		file := b.wanted[0]
		b.wanted = b.wanted[1:]
		b.take(file)
	}
	if b.err != nil {
		return nil, b.err
	}
	components, _ := doc["components"].(map[string]any)
	own, ok := components["schemas"].(map[string]any)
	if !ok {
		return nil, errors.New("the description has no schemas of its own")
	}
	maps.Copy(own, b.schemas)
	return json.Marshal(doc)
}

// bundle gathers schemas. The first error ends it.
type bundle struct {
	files   fs.FS
	schemas map[string]any
	known   map[string]bool
	wanted  []string
	err     error
}

// take adds the schemas of a file: its own, and those under $defs.
func (b *bundle) take(file string) {
	text, err := fs.ReadFile(b.files, file)
	var doc map[string]any
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		b.err = fmt.Errorf("read the schema %s: %w", file, err)
		return
	}
	defs, _ := doc["$defs"].(map[string]any)
	for _, key := range []string{"$defs", "$id", "$schema"} {
		delete(doc, key)
	}
	for name, def := range defs {
		b.rewrite(def, file)
		b.schemas[nameOf(file)+"."+name] = def
	}
	if _, more := doc["type"]; more {
		b.rewrite(doc, file)
		b.schemas[nameOf(file)] = doc
	}
}

func nameOf(file string) string { return strings.TrimSuffix(path.Base(file), ".json") }

// rewrite lets references of a file lead to where the schemas are.
func (b *bundle) rewrite(node any, file string) {
	switch n := node.(type) {
	case map[string]any:
		if ref, ok := n["$ref"].(string); ok {
			n["$ref"] = b.lead(ref, file)
		}
		for _, v := range n {
			b.rewrite(v, file)
		}
	case []any:
		for _, v := range n {
			b.rewrite(v, file)
		}
	}
}

func (b *bundle) lead(ref, file string) string {
	to, inside, _ := strings.Cut(ref, "#")
	if to == "" {
		to = file
	}
	if to == "" {
		return ref // within the description itself
	}
	if b.known == nil {
		b.known = map[string]bool{}
	}
	if !b.known[to] {
		b.known[to] = true
		b.wanted = append(b.wanted, to)
	}
	name := nameOf(to)
	if def, ok := strings.CutPrefix(inside, "/$defs/"); ok {
		name += "." + def
	}
	return "#/components/schemas/" + name
}
