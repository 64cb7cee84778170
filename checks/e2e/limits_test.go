package e2e

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

func TestHeldSource_HoldsUpNoOther(t *testing.T) {
	t.Parallel()
	big, small := folder(t, "big"), folder(t, "small")
	for _, word := range []string{"Avocet", "Bittern", "Curlew"} {
		write(t, filepath.Join(big, word+".go"), goFile(word))
	}
	write(t, filepath.Join(small, "a.go"), goFile("Dotterel"))
	data := t.TempDir()
	var asked []document.Source
	answer := func(yes bool) func(*freshet.Options) {
		asked = nil
		return func(o *freshet.Options) {
			o.Config.Limits.Files = 2
			o.Accept = func(_ context.Context, held contract.SourceInfo) (bool, error) {
				asked = append(asked, held.Source)
				return yes, nil
			}
		}
	}
	limited := []string{"FRESHET_LIMITS_FILES=2"}
	plan := planOf(t, limited, big)
	if !plan.AboveLimits || !slices.Contains(plan.Actions, document.Action{Do: document.DoSourceAccept, Path: document.EncodePath(big)}) {
		t.Errorf("the plan does not tell: %q, %v", plan.Advice, plan.Actions)
	}
	if planOf(t, limited, small).AboveLimits {
		t.Error("the plan tells of a source within the limits")
	}

	r := upWith(t, data, answer(false), big, small)
	if len(asked) != 1 || asked[0] != "big" || r.ready.Documents != 1 || !strings.Contains(strings.Join(r.ready.Degraded, "\n"), "big: held: it holds up to 3 files") {
		t.Errorf("asked about %v; ready with %d documents, degraded %q", asked, r.ready.Documents, r.ready.Degraded)
	}
	r.shows("latest", "Dotterel", "small/a.go")
	r.shows("latest", "Avocet", "")
	write(t, filepath.Join(small, "b.go"), goFile("Egret"))
	r.shows(r.look(filepath.Join(small, "b.go")).String(), "Egret", "small/b.go")
	_, err := client.Announce.Ask(t.Context(), r.bus.Conn(), contract.Announce{Paths: []string{filepath.Join(big, "Avocet.go")}})
	if document.KindOf(err) != document.TooLarge {
		t.Errorf("a file of a held source gets a token: %v", err)
	}
	r.stop()
	storesEqualLog(t, data)

	// Accepted, it is searchable before the whole is ready.
	r = upWith(t, data, answer(true), big, small)
	if len(asked) != 1 || r.ready.Documents != 5 || len(r.ready.Degraded) > 0 {
		t.Errorf("asked about %v; ready with %d documents, degraded %q", asked, r.ready.Documents, r.ready.Degraded)
	}
	r.shows("latest", "Avocet", "big/Avocet.go")
	r.stop()
	storesEqualLog(t, data)

	// It is not asked about again.
	r = upWith(t, data, answer(false), big, small)
	if len(asked) > 0 || r.ready.Documents != 5 {
		t.Errorf("asked about %v; ready with %d documents", asked, r.ready.Documents)
	}
	// Growth is told of, and costs nothing that was there.
	for _, word := range []string{"Fulmar", "Gadwall", "Heron", "Ibis"} {
		file := filepath.Join(big, word+".go")
		write(t, file, goFile(word))
		r.look(file)
	}
	r.shows("latest", "Avocet", "big/Avocet.go")
	r.shows("latest", "Fulmar", "big/Fulmar.go")
	r.shows("latest", "Ibis", "")
	if st := r.status(); st.Skipped["over limit"] != 1 || !strings.Contains(strings.Join(st.Degraded, "\n"), "big: limits: it is above the limit of 6 files") {
		t.Errorf("skipped %v, degraded %q", st.Skipped, st.Degraded)
	}
	// Where room is made, the next comparison takes in what waits.
	if err := os.Remove(filepath.Join(big, "Heron.go")); err != nil {
		t.Fatal(err)
	}
	r.look(big)
	r.shows("latest", "Ibis", "big/Ibis.go")
	r.stop()
	storesEqualLog(t, data)
}

// A run that ends by itself may not end well with a source left out.
func TestRunWithAHeldSource_EndsWithAnError(t *testing.T) {
	t.Parallel()
	big := folder(t, "big")
	write(t, filepath.Join(big, "a.go"), goFile("Avocet"))
	write(t, filepath.Join(big, "b.go"), goFile("Bittern"))
	cfg := config.Default()
	cfg.Data, cfg.Limits.Files, cfg.Sources = t.TempDir(), 1, []config.Source{{Root: big}}
	refused := errors.New("refused")
	err := freshet.Up(t.Context(), freshet.Options{Config: cfg, Once: true, Accept: func(context.Context, contract.SourceInfo) (bool, error) { return false, refused }})
	if !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
	// Nothing stays of it.
	r := upWith(t, cfg.Data, func(o *freshet.Options) { o.Config.Limits.Files = 1 })
	if len(r.ready.Sources) > 0 || r.ready.Documents > 0 {
		t.Errorf("%+v", r.ready.Sources)
	}
}
