package query

import (
	"context"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

func TestDefinition_ComesBeforePartsAndDeclarations(t *testing.T) {
	const signature = "static int dict_find(dict *d, void *key)"
	head := document.Span{Symbol: "dict_find", Kind: document.KindFunction, Signature: signature}
	part := document.Span{Symbol: "dict_find", Kind: document.KindFunction, Context: signature}
	proto := document.Span{Symbol: "dict_find", Names: []string{"dict_next"}, Kind: document.KindFunction, Signature: "int dict_find(dict *d, void *key);"}
	shown := func(name string, span document.Span, text string, final float64) resolve.Shown {
		c := candidate.Candidate{Final: final, Named: contract.Channel{Rank: 1}, Signals: candidate.Signals{candidate.Named: 10}}
		return resolve.Shown{Candidate: c, Head: contract.FileHead{Path: document.Path(name)}, Span: span, Text: []byte(text), Language: "c"}
	}
	later := shown("later.c", part, "\treturn dict_find(d, next);\n}\n", 12)
	declared := shown("dict.h", proto, "int dict_next(dict *d);\nint dict_find(dict *d,\n\tvoid *key);\n", 11.5)
	external := shown("extern.h", proto, "extern int dict_find;\n", 11.2)
	definition := shown("dict.c", head, "static int dict_find(dict *d, void *key) {\n\treturn 0;\n}\n", 11)
	commented := shown("dict2.c", part, " */\nstatic int dict_find(dict *d,\n\tvoid *key)\n{\n", 11)
	assigned := shown("table.c", head, "int (*dict_find)(void) = 0;\n", 11)
	for what, test := range map[string]struct {
		shown, held []resolve.Shown
		want        []string
	}{
		"all of one function":        {[]resolve.Shown{later, declared, definition}, nil, []string{"dict.c", "dict.h", "later.c"}},
		"the definition is held":     {[]resolve.Shown{later, external}, []resolve.Shown{definition}, []string{"dict.c", "extern.h", "later.c"}},
		"below a comment of its own": {[]resolve.Shown{later, commented}, nil, []string{"dict2.c", "later.c"}},
		"a table of functions":       {[]resolve.Shown{later, assigned}, nil, []string{"table.c", "later.c"}},
	} {
		q := &search{}
		q.exactly.names = rank.NewQuery("dict_find", analysis.New()).Names()
		q.found.named = []candidate.Found{{}}
		q.resolved.Answer = &resolve.Answer{Shown: test.shown, Held: test.held}
		before := len(test.shown)
		if _, err := putDefinitionsFirst(context.Background(), q); err != nil {
			t.Fatal(err)
		}
		var got []string
		above := 100.0
		for _, s := range slices.Concat(q.resolved.Shown, q.resolved.Held) {
			got = append(got, s.Head.Path.Raw())
			if s.Candidate.Final > above {
				t.Errorf("%s: the score %v stands below %v", what, s.Candidate.Final, above)
			}
			above = s.Candidate.Final
		}
		if !slices.Equal(got, test.want) || len(q.resolved.Shown) != before {
			t.Errorf("%s: order %v, %d shown, want %v", what, got, len(q.resolved.Shown), test.want)
		}
	}
}
