package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
)

// A key may well come from the environment; what the file says otherwise is named.
func TestVariablesOverAFile_AreNamedWhereItSaysOtherwise(t *testing.T) {
	const docs = "FRESHET_COLLECTIONS_DOCS_EMBEDDER_"
	for name, c := range map[string]struct {
		text string
		env  []string
		want string
	}{
		"nothing is said":    {"log: warn\n", []string{docs + "PROVIDER=static"}, ""},
		"a key":              {"collections:\n  docs:\n    embedder:\n      provider: openai\n      model: m\n", []string{docs + "KEY=k"}, ""},
		"the same":           {"embedder:\n  provider: tei\n", []string{"FRESHET_EMBEDDER_PROVIDER=tei"}, ""},
		"another provider":   {"embedder:\n  provider: static\n", []string{"FRESHET_EMBEDDER_PROVIDER=tei"}, "FRESHET_EMBEDDER_PROVIDER"},
		"a model beside it":  {"collections:\n  docs:\n    embedder:\n      provider: static\n", []string{docs + "MODEL=/m"}, docs + "MODEL"},
		"written in a line":  {"embedder: {provider: static}\n", []string{"FRESHET_EMBEDDER_PROVIDER=tei"}, "FRESHET_EMBEDDER_PROVIDER"},
		"what is of no file": {"embedder:\n  workers: 2\n", []string{"FRESHET_EMBEDDER_WORKERS=3", "FRESHET_LOG=warn"}, ""},
	} {
		file := filepath.Join(t.TempDir(), "f.yaml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := config.Overridden(file, c.env...); err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := config.Overridden(filepath.Join(t.TempDir(), "none"), docs+"PROVIDER=static"); err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
}
