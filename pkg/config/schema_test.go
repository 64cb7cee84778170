package config_test

import (
	"bytes"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/freshet-dev/freshet/pkg/config"
)

const schemaFile = "../../schemas/config.json"

func TestPrintedConfiguration_PassesTheSchema(t *testing.T) {
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
