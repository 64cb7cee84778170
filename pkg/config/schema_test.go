package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/freshet-dev/freshet/pkg/config"
)

const schemaFile = "../../schemas/config.json"

var update = flag.Bool("update", false, "write "+schemaFile+" from the structs")

// The schema is made from the structs' tags; a key that is added without
// `go test ./config -update` fails here.
func TestSchemaDiffersFromTheStructs(t *testing.T) {
	s := schemaOf(reflect.ValueOf(config.Default()))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/freshet-dev/freshet/schemas/config.json"
	s["title"] = "Configuration"
	s["description"] = "The one file that configures freshet; every key has a default."
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, b.Bytes()) {
		t.Errorf("%s is not what the structs say: run go test ./config -update", schemaFile)
	}
}

func TestSchemaRefusesThePrintedConfiguration(t *testing.T) {
	c := jsonschema.NewCompiler()
	schema, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]config.Config{"defaults": config.Default(), "all changed": changed()} {
		text, err := cfg.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(fromYAML(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, bad := range []string{"watcher: {debouce: 5ms}", "nats: {port: 70000}", "watcher: {debounce: soon}", "watcher: {max_file_size: 1MB}", "sources: [{name: a}]", "query: {priorities: [{source: a}]}"} {
		if err := schema.Validate(fromYAML(t, []byte(bad))); err == nil {
			t.Errorf("the schema accepts %s", bad)
		}
	}
}

func fromYAML(t *testing.T, text []byte) any {
	t.Helper()
	js, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const (
	variable = `\$\{.+\}`
	duration = `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`
)

// schemaOf describes a value of the configuration; v holds the default.
func schemaOf(v reflect.Value) map[string]any {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return map[string]any{"type": "string", "pattern": duration + "|" + variable}
	case v.Type() == reflect.TypeFor[config.Size]():
		return map[string]any{"type": []string{"string", "integer"}, "pattern": "^[0-9]+ ?(B|KiB|MiB|GiB)?$|" + variable}
	case v.Kind() == reflect.Struct:
		props := map[string]any{}
		s := map[string]any{"type": "object", "properties": props, "additionalProperties": false}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			p := schemaOf(v.Field(i))
			describe(p, f, v.Field(i))
			props[f.Tag.Get("yaml")] = p
		}
		if v.Type() == reflect.TypeFor[config.Source]() {
			s["required"] = []string{"root"}
		}
		if v.Type() == reflect.TypeFor[config.Priority]() {
			s["required"] = []string{"factor"}
		}
		return s
	case v.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(reflect.New(v.Type().Elem()).Elem())}
	case v.Kind() == reflect.Int:
		return map[string]any{"type": []string{"integer", "string"}, "pattern": variable}
	case v.Kind() == reflect.Float64:
		return map[string]any{"type": []string{"number", "string"}, "pattern": variable}
	case v.Kind() == reflect.Bool:
		return map[string]any{"type": []string{"boolean", "string"}, "pattern": variable}
	}
	return map[string]any{"type": "string"}
}

func describe(p map[string]any, f reflect.StructField, v reflect.Value) {
	p["description"] = f.Tag.Get("doc")
	if v.Kind() == reflect.Int || v.Kind() == reflect.Float64 {
		for tag, key := range map[string]string{"min": "minimum", "max": "maximum"} {
			if n, err := strconv.ParseFloat(f.Tag.Get(tag), 64); err == nil {
				p[key] = n
			}
		}
	}
	if values := f.Tag.Get("enum"); values != "" {
		p["enum"] = strings.Split(values, ",")
	}
	switch x := v.Interface().(type) {
	case time.Duration:
		p["default"] = x.String()
	case config.Size:
		p["default"] = x.String()
	default:
		if v.Kind() != reflect.Struct && v.Kind() != reflect.Slice && !v.IsZero() {
			p["default"] = x
		}
	}
}
