package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
)

// commentWidth is where comments are wrapped, in bytes.
const commentWidth = 96

// YAML returns the whole configuration with a comment above each key, and with
// a placeholder for each secret. But for those, Load reads it back to the same
// configuration; it refuses the placeholder.
func (c Config) YAML() ([]byte, error) {
	var b bytes.Buffer
	if err := writeStruct(&b, reflect.ValueOf(c), 0); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeStruct(b *bytes.Buffer, v reflect.Value, depth int) error {
	indent := strings.Repeat("  ", depth)
	for i := range v.NumField() {
		f, tag := v.Field(i), v.Type().Field(i).Tag
		key := tag.Get("yaml")
		if depth == 0 && i > 0 {
			b.WriteByte('\n')
		}
		if f.Type() == reflect.TypeFor[Ranking]() && weightsElsewhere(v) {
			continue
		}
		writeComment(b, tag, indent)
		switch {
		case f.Kind() == reflect.Struct:
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			if err := writeStruct(b, f, depth+1); err != nil {
				return err
			}
		case f.Kind() == reflect.Slice && f.Len() == 0:
			fmt.Fprintf(b, "%s%s: []\n", indent, key)
		case f.Kind() == reflect.Slice:
			fmt.Fprintf(b, "%s%s:\n", indent, key)
			if err := writeList(b, f, indent); err != nil {
				return err
			}
		default:
			text, err := scalarYAML(f)
			if err != nil {
				return fmt.Errorf("print %s: %w", key, err)
			}
			fmt.Fprintf(b, "%s%s: %s\n", indent, key, text)
		}
	}
	return nil
}

// weightsElsewhere reports whether the weights of the order have no place in the
// configuration: they are the default ones, or stand in a file of their own.
func weightsElsewhere(query reflect.Value) bool {
	q, ok := query.Interface().(Query)
	return ok && (q.Weights != "" || q.Ranking == defaultRanking())
}

func writeList(b *bytes.Buffer, v reflect.Value, indent string) error {
	for i := range v.Len() {
		e := v.Index(i)
		if e.Kind() != reflect.Struct {
			text, err := scalarYAML(e)
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%s  - %s\n", indent, text)
			continue
		}
		lead := "- "
		for j := range e.NumField() {
			if e.Field(j).IsZero() && j > 0 {
				continue
			}
			text, err := scalarYAML(e.Field(j))
			if err != nil {
				return err
			}
			fmt.Fprintf(b, "%s  %s%s: %s\n", indent, lead, e.Type().Field(j).Tag.Get("yaml"), text)
			lead = "  "
		}
	}
	return nil
}

// writeComment writes the doc tag, and the limits behind it.
func writeComment(b *bytes.Buffer, tag reflect.StructTag, indent string) {
	text := tag.Get("doc")
	low, high := tag.Get("min"), tag.Get("max")
	switch {
	case low != "" || high != "":
		text += " Allowed: " + allowed(low, high) + "."
	case tag.Get("enum") != "":
		text += " One of: " + strings.ReplaceAll(tag.Get("enum"), ",", ", ") + "."
	}
	line := indent + "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > commentWidth {
			b.WriteString(line + "\n")
			line = indent + "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

func scalarYAML(v reflect.Value) (string, error) {
	switch v.Interface().(type) {
	case time.Duration, Size:
		return show(v), nil
	}
	value := v.Interface()
	switch x := value.(type) {
	case Secret:
		value = x.String()
	case string:
		// Load would take it for a variable.
		value = strings.ReplaceAll(hideUser(x), "${", "$${")
	}
	text, err := yaml.Marshal(value)
	return strings.TrimSpace(string(text)), err
}
