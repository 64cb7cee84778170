package parser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/makers"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

var update = flag.Bool("update", false, "write the golden files of formats")

// samples are the documents of a format that lie in the folder of its maker.
func samples(t testing.TB, f *format.Format) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, ext := range f.Extensions {
		names, err := filepath.Glob(filepath.Join("..", "extract", f.Name, "testdata", "*"+ext))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[name] = content
		}
	}
	return out
}

func TestEveryFormat_HasAMakerAndSamples(t *testing.T) {
	var m makers.Makers
	for i := range format.All() {
		f := &format.All()[i]
		if m.Of(f.Name) == nil {
			t.Errorf("nothing makes text of %s: add it to internal/extract/makers", f.Name)
		}
		if n := len(samples(t, f)); n < 3 {
			t.Errorf("there are %d samples of %s: put three into internal/extract/%s/testdata", n, f.Name, f.Name)
		}
		for _, ext := range f.Extensions {
			if got := language.OfPath(document.Path("a" + ext)); got != f.Name {
				t.Errorf("%s is of the language %q, and nobody can ask for %s: add it to the row of pkg/language/table.go", ext, got, f.Name)
			}
		}
		if format.Find(f.ID()) != f {
			t.Errorf("%s is not found by %s", f.Name, f.ID())
		}
	}
}

// Passages of samples are those of the golden files beside them.
func TestPassagesOfFormats_AreThoseOfTheGolden(t *testing.T) {
	p := newPool(t, config())
	for i := range format.All() {
		f := &format.All()[i]
		for name, content := range samples(t, f) {
			made, err := p.Make(t.Context(), f, content)
			if err != nil || made.Textless != "" {
				t.Errorf("%s: %q, %v", name, made.Textless, err)
				continue
			}
			got := listed(made)
			if *update {
				if err := os.WriteFile(name+".passages", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".passages")
			if err != nil {
				t.Fatalf("%v: run this test with -update, and look at what it writes", err)
			}
			if got != string(want) {
				t.Errorf("the passages of %s are\n%s\nwant\n%s", name, got, want)
			}
		}
	}
}

// listed writes passages as people read them.
func listed(m Made) string {
	var b strings.Builder
	for i := range m.Spans {
		s := &m.Spans[i]
		fmt.Fprintf(&b, "== lines %d-%d", s.StartLine, s.EndLine)
		if p := document.PartOf(m.Parts, s.StartByte, s.EndByte); p != nil {
			fmt.Fprintf(&b, ", %s %d-%d", p.Kind, p.From, p.To)
		}
		if s.Symbol != "" {
			fmt.Fprintf(&b, ", defines %s", s.Symbol)
		}
		if len(s.Headings) > 0 {
			fmt.Fprintf(&b, ", under %s", strings.Join(s.Headings, " > "))
		}
		if s.Context != "" {
			fmt.Fprintf(&b, ", below %q", s.Context)
		}
		b.WriteString("\n" + string(m.Text[s.StartByte:s.EndByte]) + "\n")
	}
	return b.String()
}

// Whatever a document holds: there is a text within its limit of which the passages
// leave nothing out, or a reason.
func FuzzFormats(f *testing.F) {
	for i := range format.All() {
		row := &format.All()[i]
		for _, content := range samples(f, row) {
			f.Add(i, content)
		}
	}
	p := syntax.NewParser()
	f.Cleanup(p.Close)
	var m makers.Makers
	f.Cleanup(func() {
		if err := m.Close(); err != nil {
			f.Error(err)
		}
	})
	f.Fuzz(func(t *testing.T, n int, content []byte) {
		if n < 0 || n >= len(format.All()) {
			return
		}
		const limit = 64 << 10
		rep, err := extracted(p, &m, request{Format: format.All()[n].Name, Limit: limit, Options: split.Options{}}, content)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Textless == "" && len(rep.Text) == 0 {
			t.Error("there is neither a text nor a reason")
		}
		if err := checkMade(rep, limit); err != nil {
			t.Error(err)
		}
		// It passes through a frame as it is.
		frames, err := rep.frames()
		if err != nil {
			t.Fatal(err)
		}
		var pipe bytes.Buffer
		if err := writeFrames(&pipe, frames...); err != nil {
			t.Fatal(err)
		}
		if again, err := readReply(&pipe); err != nil || !bytes.Equal(again.Text, rep.Text) || len(again.Spans) != len(rep.Spans) {
			t.Errorf("the reply became another one: %v", err)
		}
	})
}

func TestDocumentOfAFormatEndsItsChild_ItIsToldAsTextless(t *testing.T) {
	f := format.Find("jupyter")
	for name, command := range map[string]string{"it exits": childExits, "it hangs": childHangs, "it eats": childEats, "it lies": childLies} {
		t.Run(name, func(t *testing.T) {
			cfg := config(command)
			cfg.Timeout, cfg.Memory = 2e9, 64<<20
			if command == childEats {
				cfg.Timeout = 600e9
			}
			p := newPool(t, cfg)
			made, err := p.Make(t.Context(), f, []byte(`{"nbformat":4,"cells":[]}`))
			if err != nil || made.Textless == "" || len(made.Text) > 0 {
				t.Errorf("%+v, %v", made, err)
			}
		})
	}
}

// A parser that cannot be started is no fault of the document's: it is tried again.
func TestNoChildStartsForAFormat_ItIsTriedAgain(t *testing.T) {
	cfg := config()
	cfg.Command = []string{"/nonexistent/parser"}
	if made, err := newPool(t, cfg).Make(t.Context(), format.Find("jupyter"), []byte(`{}`)); err == nil {
		t.Errorf("%+v", made)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if made, err := newPool(t, config()).Make(ctx, format.Find("jupyter"), []byte(`{}`)); err == nil {
		t.Errorf("%+v", made)
	}
}
