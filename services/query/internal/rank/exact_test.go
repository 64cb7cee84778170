package rank

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// The first fits a name better than the second, and so on; a dash is what does not
// fit at all.
func TestDefinitionThatFitsANameBetter_StandsHigher(t *testing.T) {
	type at struct{ path, symbol string }
	for name, order := range map[string][]at{
		"os.ReadFile":         {{"os/file.go", "ReadFile"}, {"x/os.go", "ReadFile"}, {"os/x/file.go", "ReadFile"}, {"os/file.go", "readFile"}, {"os/fs.go", "dirFS.ReadFile"}},
		"RWMutex.Lock":        {{"sync/rwmutex.go", "RWMutex.Lock"}, {"sync/rwmutex.go", "rwmutex.Lock"}},
		"sync.RWMutex.Lock":   {{"sync/rwmutex.go", "RWMutex.Lock"}},
		"runner.Runner:queue": {{"manage/runner.lua", "Runner.queue"}, {"manage/runner.lua", "Other.queue"}},
		"Shape::area":         {{"geo/shape.cpp", "Shape::area"}, {"geo/shape.cpp", "area"}},
		"parse_header":        {{"a/b.py", "parse_header"}, {"a/b.py", "Message.parse_header"}},
		// Members of a type that is one passage stand there without it.
		"ZodMini.check":       {{"a/schemas.ts", "ZodMini.check"}, {"a/schemas.ts", "ZodMini\nwith\ncheck"}},
		"json-schema.convert": {{"schema/a.ts", "convert"}, {"a/schema.ts", "convert"}, {"a/json-schema.ts", "convert"}},
		"$ZodMini.parse":      {{"a/b.ts", "$ZodMini.parse"}, {"a/b.ts", "$ZodMini\nparse"}},
		"core.$constructor":   {{"core/a.ts", "$constructor"}, {"a/core.ts", "$constructor"}},
	} {
		names := query(name).Names()
		if len(names) != 1 {
			t.Errorf("%s: names %v", name, names)
			continue
		}
		above := 2.0
		for _, d := range order {
			fit := names[0].DefinedBy(&store.Attrs{Path: document.Path(d.path), Symbol: "other\n" + d.symbol, Kind: document.KindFunction})
			if fit <= 0 || fit >= above {
				t.Errorf("%s: %+v fits by %v, the one before by %v", name, d, fit, above)
			}
			above = fit
		}
	}
	for name, d := range map[string]at{
		"os.ReadFile": {"io/fs.go", "ReadFile"}, "RWMutex.Lock": {"sync/mutex.go", "Mutex.Lock"}, "parse_header": {"parse_header.py", "header"},
		"os.ReadDir": {"os/file.go", "MyReadDir"}, "$ZodMini.parse": {"a/b.ts", "ZodMini.parse"}, "Mini.check": {"a/b.ts", "Mini.of\ncheck"},
	} {
		names := query(name).Names()
		if fit := names[0].DefinedBy(&store.Attrs{Path: document.Path(d.path), Symbol: d.symbol, Kind: document.KindFunction}); fit != 0 {
			t.Errorf("%s: %+v fits by %v", name, d, fit)
		}
	}
}

func TestWordsOfAQuestion_AreNoNameOfADefinition(t *testing.T) {
	for _, text := range []string{"config", "how does os.ReadFile work", "pkg/store/store.go", "parser.go", ""} {
		if names := query(text).Names(); len(names) > 0 {
			t.Errorf("%q: names %v", text, names)
		}
	}
}
