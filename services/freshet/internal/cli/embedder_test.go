package cli_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

func TestListOfEmbedders_TellsWhatEachCollectionHas(t *testing.T) {
	t.Parallel()
	folder := tree(t, map[string]string{
		"parse.go": "package api\n\n// ParseHeron reads a heron.\nfunc ParseHeron(s string) string {\n\treturn s\n}\n",
		"reeds.md": "# Herons\n\nA heron stands.\n",
	})
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	r := run(t, "embedder", "list", "--data", i.data)
	if r.code != 0 || !strings.Contains(r.stdout, "code        bundled model") || !strings.Contains(r.stdout, "docs        bundled model") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	r = run(t, "embedder", "list", "--data", i.data, "--json")
	var list render.Embedders
	if err := json.Unmarshal([]byte(r.stdout), &list); err != nil || len(list.Embedders) != len(document.Collections) {
		t.Fatalf("%s: %v", r.stdout, err)
	}
	for _, one := range list.Embedders {
		if one.Dims == 0 || one.Documents != 1 || one.Passages == 0 || one.Vectors != one.Passages || one.Generation == "" || one.Embedding.Embedder == "" || one.Next != nil {
			t.Errorf("%+v", one)
		}
	}
	i.stop()
}
