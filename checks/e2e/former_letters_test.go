package e2e

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// choosy is a gated model that cannot read one word.
type choosy struct {
	gated
	word string
}

func (c choosy) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	for i, text := range texts {
		if strings.Contains(text, c.word) {
			errs := make([]error, len(texts))
			errs[i] = bus.Permanent(errors.New("that is no word"))
			return make([]embed.Vector, len(texts)), errs
		}
	}
	return c.gated.EmbedDocuments(ctx, texts)
}

// A document fails in the making of a new build only. In the one that answers it has
// not failed, and when somebody goes back, nothing says that it ever did.
func TestFailureInANewIndex_DoesNotCountInTheOneThatAnswers(t *testing.T) {
	t.Parallel()
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "animals")
	words(t, dir, 4)
	up(t, data, dir).stop()

	model := choosy{newGated(t), "Zebra1x"}
	r := upWith(t, data, func(o *freshet.Options) {
		o.Embedders = open.Alike(model)
		o.Config.Embedder.Batch, o.Config.Embedder.Workers = 1, 8
	}, dir)
	for len(r.subjects(contract.StreamDead)) == 0 { // which is what is waited for
		if t.Context().Err() != nil {
			t.Fatal("nothing fails")
		}
	}
	st := r.status()
	if st.Next == nil || len(st.Failed) > 0 {
		t.Errorf("of what answers %+v failed; %+v is built", st.Failed, st.Next)
	}
	r.shows("latest", "Zebra1x", "animals/f1.go")
	if differences, _ := r.verify(contract.VerifyRequest{}); len(differences) > 0 {
		t.Errorf("%+v differ", differences)
	}
	r.stop()

	r = up(t, data, dir)
	r.left(r.status().Serving.ID())
	if left := r.subjects(contract.StreamDead); len(left) > 0 || len(r.status().Failed) > 0 {
		t.Errorf("letters are left: %v", left)
	}
	r.shows("latest", "Zebra1x", "animals/f1.go")
	r.stop()

	// In the end it counts where it has failed.
	close(model.open)
	r = upWith(t, data, func(o *freshet.Options) {
		o.Embedders = open.Alike(model)
		o.Config.Embedder.Batch = 1
	}, dir)
	r.replaced()
	if st := r.status(); len(st.Failed) != 1 || st.Failed[0].Path != "f1.go" {
		t.Errorf("%+v failed", st.Failed)
	}
}
