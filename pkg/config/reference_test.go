package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write what is made from the structs")

// What is made from the structs' tags and the defaults, and of what stands
// there already.
var references = []struct {
	file string
	make func(t *testing.T, there []byte) []byte
}{
	{"../../schemas/config.json", func(t *testing.T, _ []byte) []byte { return indented(t, wholeSchema()) }},
	{"../../deploy/helm/freshet/values.schema.json", valuesSchema},
	{"../../docs/reference/configuration.md", page},
}

func TestReference_IsWhatTheStructsSay(t *testing.T) {
	for _, r := range references {
		there, err := os.ReadFile(r.file)
		if err != nil {
			t.Fatal(err)
		}
		want := r.make(t, there)
		if *update {
			if err := os.WriteFile(r.file, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if !bytes.Equal(there, want) {
			t.Errorf("%s is not what the structs of pkg/config say: run `make reference`", r.file)
		}
	}
}

// valuesSchema puts the schema of the configuration into that of the chart's
// values, so that Helm refuses a mistake there.
func valuesSchema(t *testing.T, there []byte) []byte {
	t.Helper()
	var values map[string]any
	if err := json.Unmarshal(there, &values); err != nil {
		t.Fatal(err)
	}
	s := wholeSchema()
	for _, key := range []string{"$schema", "$id", "title"} {
		delete(s, key)
	}
	values["properties"].(map[string]any)["config"] = s
	return indented(t, values)
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
