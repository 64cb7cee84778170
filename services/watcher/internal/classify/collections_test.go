package classify

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestPathOfSeveralCollections_BelongsToTheFirst(t *testing.T) {
	c, err := NewCollections([]config.OwnCollection{
		{Name: "docs-handbook", Paths: []string{"handbook"}, Sources: []string{"wiki", "api"}},
		{Name: "code-tools", Paths: []string{"tools/**/*.py", "handbook"}},
		{Name: "docs-put"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []struct {
		source document.Source
		path   document.Path
		want   document.Collection
	}{
		{"wiki", "handbook/a.md", "docs-handbook"}, {"other", "handbook/a.md", "code-tools"}, {"other", "tools/x/a.py", "code-tools"},
		{"wiki", "a.md", "docs"}, {"wiki", "a.go", "code"}, {"wiki", "tools/a.md", "docs"},
	} {
		if got := c.Of(w.source, w.path); got != w.want {
			t.Errorf("%s of %s belongs to %s, want %s", w.path, w.source, got, w.want)
		}
	}
	if got := (Collections{}).Of("wiki", "handbook/a.md"); got != document.CollectionDocs {
		t.Errorf("nothing is configured, and it belongs to %s", got)
	}
}
