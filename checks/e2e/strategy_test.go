package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

// passages are what a document is cut into.
func (r *rig) passagesOf(source document.Source, path document.Path, token string) []contract.Passage {
	r.t.Helper()
	h := r.headOf(source, path)
	reply, err := client.Passages.Ask(r.t.Context(), r.bus.Conn(), contract.PassagesRequest{Token: token,
		Documents: []contract.PassagesOf{{Source: source, Path: path, View: h.View, Version: h.Version}}})
	if err != nil || len(reply.Documents) != 1 {
		r.t.Fatalf("%+v, %v", reply, err)
	}
	return reply.Documents[0].Passages
}

// A strategy is configured for some documents of a log: they are cut again as it says,
// and no other document is written again.
func TestStrategyForSomeDocuments_CutsThemAgainAndNoOthers(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	write(t, filepath.Join(root, "talks", "tide.txt"), strings.Repeat("The tide comes in at noon. It leaves at six o'clock.\n", 20))
	write(t, filepath.Join(root, "tide.txt"), strings.Repeat("The tide is measured here. It is written down.\n", 20))
	const birds = "The heron stands in the reeds at dawn. Herons catch fish and frogs in shallow water. A heron nests in tall trees beside the river. The young birds leave the nest in June. "
	const code = "The compiler parses the source code into a syntax tree. Each function is type checked. The linker writes the program. Unused variables are an error of the compiler."
	write(t, filepath.Join(root, "notes.txt"), birds+code)
	r := up(t, data, root)
	token := r.look(root).String()
	before, other := r.passagesOf("library", "talks/tide.txt", token), r.headOf("library", "tide.txt")
	r.stop()

	r = upWith(t, data, func(o *freshet.Options) {
		o.Config.Chunker.Strategies = []config.Strategy{
			{Paths: []string{"talks/**/*.txt"}, Strategy: config.CutSentence, Size: 30, Unit: config.Characters},
			{Paths: []string{"notes.txt"}, Strategy: config.CutSemantic, Size: 400, Unit: config.Characters},
		}
	}, root)
	token = r.look(root).String()
	now := r.passagesOf("library", "talks/tide.txt", token)
	if len(before) >= 40 || len(now) != 40 {
		t.Errorf("of %d passages there are %d", len(before), len(now))
	}
	for _, p := range now {
		if !strings.HasSuffix(p.Text, ".") || len(p.Text) > 30 {
			t.Errorf("a passage is %q", p.Text)
		}
	}
	if notes := r.passagesOf("library", "notes.txt", token); len(notes) != 2 || notes[0].Text != strings.TrimSpace(birds) || notes[1].Text != code {
		t.Errorf("by what it speaks of the text is cut into %+v", notes)
	}
	if h := r.headOf("library", "tide.txt"); h.Version != other.Version {
		t.Errorf("the rest was written again: %d, was %d", h.Version, other.Version)
	}
	r.equal()
	r.stop()

	r = up(t, data, root) // without it
	token = r.look(root).String()
	if now := r.passagesOf("library", "talks/tide.txt", token); len(now) != len(before) {
		t.Errorf("without the strategy there are %d passages, were %d", len(now), len(before))
	}
	r.stop()
	storesEqualLog(t, data)
}
