package helm

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"
)

const schemaFile = chartFolder + "/values.schema.json"

var update = flag.Bool("update", false, "put the schema of the configuration into "+schemaFile)

func readSchema(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Helm refuses a mistake in `config` by the schema of the configuration; a key
// that is new there fails here without `go test . -update`.
func TestSchemaOfTheValuesHasAnotherConfiguration(t *testing.T) {
	want := readSchema(t, "../../schemas/config.json")
	maps.DeleteFunc(want, func(key string, _ any) bool { return strings.HasPrefix(key, "$") || key == "title" })
	schema := readSchema(t, schemaFile)
	properties := schema["properties"].(map[string]any)
	if *update {
		properties["config"] = want
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(schema); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(schemaFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(properties["config"], want) {
		t.Errorf("%s has another configuration than schemas/config.json: run go test . -update", schemaFile)
	}
}

func TestWrongValueIsTaken(t *testing.T) {
	for _, c := range []struct {
		values map[string]any
		names  string // what the error has to name
	}{
		{map[string]any{"chunkr": map[string]any{}}, "chunkr"},
		{map[string]any{"config": map[string]any{"nats": map[string]any{"ulr": "nats://x"}}}, "ulr"},
		{map[string]any{"config": map[string]any{"stores": map[string]any{"lexical": "lucene"}}}, "lexical"},
		{map[string]any{"config": map[string]any{"chunker": map[string]any{"target": "${TARGET}"}}}, "autoscaling.generation"},
		{map[string]any{"config": map[string]any{"embedder": map[string]any{"model": "/models/own"}}}, "autoscaling.generation"},
		{map[string]any{"watcher": map[string]any{"mirrors": map[string]any{"repositories": []any{map[string]any{"name": "api"}}}}}, "url"},
		{map[string]any{"embedder": map[string]any{"minReplicas": 0}}, "minReplicas"},
		{map[string]any{"secrets": map[string]any{"nats": map[string]any{"password": "x"}}}, "secrets"},
	} {
		if _, err := tryRender(t, c.values); err == nil || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%v: %v", c.values, err)
		}
	}
	// With the name of the generation, the size may come from elsewhere.
	values := map[string]any{"config": map[string]any{"chunker": map[string]any{"target": "${TARGET}"}}, "autoscaling": map[string]any{"generation": "0123abcd"}}
	if got := render(t, values).scalers["chunker"].Spec.Triggers[0].Metadata["consumer"]; got != "chunker-0123abcd" {
		t.Errorf("the consumer is %s", got)
	}
}
