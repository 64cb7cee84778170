package helm

import (
	"strings"
	"testing"
)

func TestWrongValues_AreRefused(t *testing.T) {
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
