package contract_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"sort"
	"strings"
	"testing"
)

type field struct {
	name     string
	typ      reflect.Type
	optional bool
}

// fieldsOf returns the JSON fields of a struct, embedded ones included.
func fieldsOf(typ reflect.Type) []field {
	var out []field
	for i := range typ.NumField() {
		f := typ.Field(i)
		tag, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			out = append(out, fieldsOf(f.Type)...)
		case !f.IsExported() || tag == "-":
		default:
			if tag == "" {
				tag = f.Name
			}
			out = append(out, field{tag, f.Type, strings.Contains(opts, "omit")})
		}
	}
	return out
}

// text reports whether a type stands as a string in JSON although it is none.
func text(typ reflect.Type) bool {
	marshaler := reflect.TypeFor[encoding.TextMarshaler]()
	return typ.Implements(marshaler) || typ == reflect.TypeFor[[]byte]()
}

// fieldPaths lists the JSON fields below typ: "hits[].channels{}.rank".
func fieldPaths(typ reflect.Type, at string) []string {
	switch {
	case text(typ):
	case typ.Kind() == reflect.Pointer:
		return fieldPaths(typ.Elem(), at)
	case typ.Kind() == reflect.Slice:
		return fieldPaths(typ.Elem(), at+"[]")
	case typ.Kind() == reflect.Map:
		return fieldPaths(typ.Elem(), at+"{}")
	case typ.Kind() == reflect.Struct:
		var out []string
		for _, f := range fieldsOf(typ) {
			p := at + "." + f.name
			out = append(out, p)
			out = append(out, fieldPaths(f.typ, p)...)
		}
		return out
	}
	return nil
}

// keysOf notes the paths of a decoded JSON value in the form of fieldPaths.
// An object may be a struct or a map, so both forms are noted.
func keysOf(v any, at string, seen map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			keysOf(e, at+"[]", seen)
		}
	case map[string]any:
		for k, e := range v {
			seen[at+"."+k] = true
			keysOf(e, at+"."+k, seen)
			keysOf(e, at+"{}", seen)
		}
	}
}

// resolver follows references between the schemas' files.
type resolver struct {
	t    *testing.T
	docs map[string]map[string]any
}

func newResolver(t *testing.T) *resolver {
	r := &resolver{t: t, docs: map[string]map[string]any{}}
	for _, name := range append(schemaNames(t), "defs") {
		r.docs[name] = parseJSON(t, schemaDir+"/"+name+".json").(map[string]any)
	}
	return r
}

// resolve returns the schema behind $ref and the file that it stands in.
func (r *resolver) resolve(file string, s map[string]any) (string, map[string]any) {
	for {
		ref, ok := s["$ref"].(string)
		if !ok {
			return file, s
		}
		name, pointer, _ := strings.Cut(ref, "#")
		if name != "" {
			file = strings.TrimSuffix(name, ".json")
		}
		if pointer == "" {
			s = r.docs[file] // a whole message
			continue
		}
		def, ok := strings.CutPrefix(pointer, "/$defs/")
		if !ok {
			r.t.Fatalf("%s: reference %q is not to a definition", file, ref)
		}
		defs, _ := r.docs[file]["$defs"].(map[string]any)
		if s, ok = defs[def].(map[string]any); !ok {
			r.t.Fatalf("%s: no definition %q", file, ref)
		}
	}
}

// compare reports every difference between a Go type and a schema.
func (r *resolver) compare(file string, s map[string]any, typ reflect.Type, at string) {
	r.t.Helper()
	file, s = r.resolve(file, s)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if got, want := s["type"], jsonType(typ); got != want && (s["enum"] == nil || want != "string") {
		r.t.Errorf("%s: the schema says %v, %s is a JSON %s", at, got, typ, want)
		return
	}
	switch {
	case text(typ):
	case typ.Kind() == reflect.Slice:
		r.compare(file, s["items"].(map[string]any), typ.Elem(), at+"[]")
	case typ.Kind() == reflect.Map:
		r.compare(file, s["additionalProperties"].(map[string]any), typ.Elem(), at+"{}")
	case typ.Kind() == reflect.Struct:
		r.compareStruct(file, s, typ, at)
	}
}

func (r *resolver) compareStruct(file string, s map[string]any, typ reflect.Type, at string) {
	r.t.Helper()
	if s["additionalProperties"] != false {
		r.t.Errorf("%s: the schema lets unknown fields through", at)
	}
	props, _ := s["properties"].(map[string]any)
	var required []string
	if list, ok := s["required"].([]any); ok {
		for _, v := range list {
			required = append(required, v.(string))
		}
	}
	var names, must []string
	for _, f := range fieldsOf(typ) {
		names = append(names, f.name)
		if !f.optional {
			must = append(must, f.name)
		}
		if p, ok := props[f.name].(map[string]any); ok {
			r.compare(file, p, f.typ, at+"."+f.name)
		} else {
			r.t.Errorf("%s.%s is in %s, not in the schema", at, f.name, typ)
		}
	}
	for p := range props {
		if !slices.Contains(names, p) {
			r.t.Errorf("%s.%s is in the schema, not in %s", at, p, typ)
		}
	}
	sort.Strings(required)
	sort.Strings(must)
	if !slices.Equal(required, must) {
		r.t.Errorf("%s: the schema requires %v, %s always writes %v", at, required, typ, must)
	}
}

func jsonType(typ reflect.Type) string {
	switch {
	case text(typ):
		return "string"
	case typ.Implements(reflect.TypeFor[json.Marshaler]()):
		return "unknown: " + typ.String() + " has its own MarshalJSON"
	}
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	default:
		return "integer"
	}
}

func TestSchemaAndStruct_HaveTheSameFields(t *testing.T) {
	r := newResolver(t)
	for name, typ := range bodies {
		r.compare(name, r.docs[name], typ, name)
	}
}

// The lists of names in the schemas are those of the code.
func TestEnumsOfSchemaAndCode_AreTheSame(t *testing.T) {
	defs := parseJSON(t, schemaDir+"/defs.json").(map[string]any)["$defs"].(map[string]any)
	for def, want := range enums() {
		var got []string
		for _, v := range defs[def].(map[string]any)["enum"].([]any) {
			got = append(got, v.(string))
		}
		sort.Strings(got)
		sort.Strings(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s is %v in the schema, %v in the code", def, got, want)
		}
	}
}
