package config

import (
	"reflect"
	"strconv"
	"strings"
	"time"
)

// wholeSchema is the JSON Schema of a configuration file.
func wholeSchema() map[string]any {
	s := schemaOf(reflect.ValueOf(Default()))
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["$id"] = "https://github.com/freshet-dev/freshet/schemas/config.json"
	s["title"] = "Configuration"
	s["description"] = "The one file that configures freshet; every key has a default."
	return s
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
	case v.Type() == reflect.TypeFor[Size]():
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
		if v.Type() == reflect.TypeFor[Source]() {
			s["required"] = []string{"root"}
		}
		if v.Type() == reflect.TypeFor[Priority]() {
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
	case Size:
		p["default"] = x.String()
	default:
		if v.Kind() != reflect.Struct && v.Kind() != reflect.Slice && !v.IsZero() {
			p["default"] = x
		}
	}
}
