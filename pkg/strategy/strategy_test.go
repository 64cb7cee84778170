package strategy_test

import (
	"reflect"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/strategy"
)

func TestDocumentOfTwoEntries_IsCutByTheFirst(t *testing.T) {
	table, err := strategy.New([]config.Strategy{
		{Paths: []string{"docs/**/*.txt"}, Strategy: config.CutSentence, Size: 300, Unit: config.Tokens, Overlap: 40},
		{Paths: []string{"docs", "*.go"}, Strategy: config.CutRecursive, Size: 900, Unit: config.Characters, Separators: []string{"\n\n", ". "}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := table.Of("docs/a/b.txt"); s == nil || s.Name != config.CutSentence || !s.Tokens {
		t.Errorf("docs/a/b.txt is cut by %+v", s)
	}
	if s := table.Of("docs/b.md"); s == nil || s.Name != config.CutRecursive || len(s.Separators) != 2 {
		t.Errorf("docs/b.md is cut by %+v", s)
	}
	if s := table.Of("readme.txt"); s != nil || table.Grammar("readme.txt") != "" {
		t.Errorf("readme.txt is cut by %+v", s)
	}
	for _, s := range []*strategy.Strategy{table.Of("docs/a/b.txt"), table.Of("docs/b.md")} {
		got, err := strategy.OfGrammar("kotlin-1+" + s.String())
		if err != nil || !reflect.DeepEqual(got, s) {
			t.Errorf("%+v is read back as %+v: %v", s, got, err)
		}
	}
	if s, err := strategy.OfGrammar("kotlin-1"); s != nil || err != nil {
		t.Errorf("without a strategy there is %+v: %v", s, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"sentence.300.t.40", "recursive.900.c.0.WyJcblxuIl0", "fixed.0.c.0", "fixed.1.c.9", "ast.9.x.0", "a.b.c.d.e.f", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := strategy.Parse(text)
		if err != nil {
			return
		}
		if again, err := strategy.Parse(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q is written as %q, which is read as %+v: %v", text, s.String(), again, err)
		}
	})
}
