package open_test

import (
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// Who names generations and opens stores does not open the embedder itself.
func TestSpaceByConfiguration_IsThatOfTheEmbedder(t *testing.T) {
	e, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	space, err := open.Space(config.Default().Embedder)
	if err != nil || space != embed.SpaceOf(e) {
		t.Errorf("the embedder makes %+v, it is said to make %+v: %v", embed.SpaceOf(e), space, err)
	}
	v, err := e.EmbedQuery(t.Context(), "token")
	if err != nil || len(v.Data) != space.Dims {
		t.Errorf("a vector has %d values, not %d: %v", len(v.Data), space.Dims, err)
	}
}

func TestModelThatIsNotThere_IsNotFound(t *testing.T) {
	c := config.Embedder{Model: filepath.Join(t.TempDir(), "none")}
	if _, err := open.Embedder(c); document.KindOf(err) != document.NotFound {
		t.Error(err)
	}
	if _, err := open.Space(c); document.KindOf(err) != document.NotFound {
		t.Error(err)
	}
}
