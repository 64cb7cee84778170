package freshet

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
)

var anyBuild = contract.Build{Embedding: contract.Embedding{Embedder: "id", Dims: 1}}

// Every key must change what the process is made of.
func TestEveryKey_ReachesAService(t *testing.T) {
	base := config.Default()
	base.Sources = []config.Source{{Root: "/a"}}
	base.Collections.Code.Embedder.Provider, base.Collections.Docs.Embedder.Provider = config.OpenAI, config.OpenAI
	before := fmt.Sprintf("%+v", settingsOf(base, anyBuild))
	for _, path := range leaves(reflect.TypeFor[config.Config](), nil, "") {
		cfg := base
		cfg.Sources = []config.Source{base.Sources[0]}
		change(reflect.ValueOf(&cfg).Elem().FieldByIndex(path.index))
		if fmt.Sprintf("%+v", settingsOf(cfg, anyBuild)) == before {
			t.Errorf("%s reaches no service", path.key)
		}
	}
	for key, source := range map[string]config.Source{
		"root": {Root: "/b"}, "name": {Root: "/a", Name: "x"}, "branch": {Root: "/a", Branch: "x"},
	} {
		cfg := base
		cfg.Sources = []config.Source{source}
		if fmt.Sprintf("%+v", settingsOf(cfg, anyBuild)) == before {
			t.Errorf("sources[].%s reaches no service", key)
		}
	}
	base.Query.Priorities = []config.Priority{{Factor: 1}}
	before = fmt.Sprintf("%+v", settingsOf(base, anyBuild))
	for key, priority := range map[string]config.Priority{
		"source": {Source: "x", Factor: 1}, "path": {Path: "x", Factor: 1}, "factor": {Factor: 2},
	} {
		cfg := base
		cfg.Query.Priorities = []config.Priority{priority}
		if fmt.Sprintf("%+v", settingsOf(cfg, anyBuild)) == before {
			t.Errorf("query.priorities[].%s reaches no service", key)
		}
	}
}

// A section reaches its service whole, so what is read of it shows in the code
// of that service alone.
func TestEveryKey_IsReadSomewhere(t *testing.T) {
	sections := reflect.TypeFor[config.Config]()
	for name, folders := range map[string][]string{
		"Watcher": {"services/watcher"}, "Limits": {"services/watcher", "services/freshet"}, "Chunker": {"services/chunker", "pkg/config"},
		"Embedder": {"services/embedder", "pkg/embed"}, "Indexer": {"services/indexer", "pkg/store/open"}, "Query": {"services/query"}, "Agents": {"services/freshet", "pkg/mcpserver"},
	} {
		section, ok := sections.FieldByName(name)
		if !ok {
			t.Fatalf("there is no section %s", name)
		}
		code := selectors(t, folders)
		for _, field := range keys(section.Type) {
			if name+"."+field == "Query.Weights" { // the file that it names is read with the configuration
				if !selectors(t, []string{"pkg/config"})[field] {
					t.Error("nobody reads the file of weights")
				}
				continue
			}
			if !code[field] {
				t.Errorf("nothing in %v reads %s.%s", folders, name, field)
			}
		}
	}
}

// keys are the names of a section's keys in Go, those of the structs in it
// included.
func keys(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		out = append(out, f.Name)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, keys(f.Type)...)
		}
	}
	return out
}

// selectors are the names behind a dot in the code of some folders.
func selectors(t *testing.T, folders []string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(repository, folder), func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					out[s.Sel.Name] = true
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

type leaf struct {
	key   string
	index []int
}

func leaves(typ reflect.Type, index []int, at string) []leaf {
	var out []leaf
	for i := range typ.NumField() {
		f := typ.Field(i)
		here := append(append([]int{}, index...), i)
		key := at + "." + f.Tag.Get("yaml")
		switch f.Type.Kind() {
		case reflect.Struct:
			out = append(out, leaves(f.Type, here, key)...)
		case reflect.Slice: // of structs, looked at one by one
		default:
			out = append(out, leaf{key[1:], here})
		}
	}
	return out
}

func change(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	}
}

// Other generations mean that everything that stands in a state folder is
// indexed again. These values are those since C# is cut by its syntax.
func TestGenerationsOfAState_StayTheSame(t *testing.T) {
	changed := config.Default()
	changed.Chunker.Target, changed.Chunker.Overlap = 700, 0
	for _, c := range []struct {
		config config.Config
		want   []document.Generation
	}{
		{config.Default(), []document.Generation{"code-8a1194ee", "docs-8a1194ee"}},
		{changed, []document.Generation{"code-7860eb73", "docs-7860eb73"}},
	} {
		_, build, err := rollout.Resolved(c.config)
		if err != nil {
			t.Fatal(err)
		}
		p := settingsOf(c.config, build)
		for i, collection := range document.Collections {
			if got := p.chunker.Generation(collection); got != c.want[i] {
				t.Errorf("the chunker cuts for %s, not for %s", got, c.want[i])
			}
		}
		if !slices.Equal(p.embedder.Generations, c.want) || !slices.Equal(build.Generations(), c.want) {
			t.Errorf("the generations are %v, not %v", p.embedder.Generations, c.want)
		}
	}
}
