package freshet

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// Every key must change what the process is made of.
func TestKeyDoesNothing(t *testing.T) {
	base := config.Default()
	base.Sources = []config.Source{{Root: "/a"}}
	before := fmt.Sprintf("%+v", planOf(base, "id"))
	for _, path := range leaves(reflect.TypeFor[config.Config](), nil, "") {
		cfg := base
		cfg.Sources = []config.Source{base.Sources[0]}
		change(reflect.ValueOf(&cfg).Elem().FieldByIndex(path.index))
		if fmt.Sprintf("%+v", planOf(cfg, "id")) == before {
			t.Errorf("%s reaches no service", path.key)
		}
	}
	for key, source := range map[string]config.Source{
		"root": {Root: "/b"}, "name": {Root: "/a", Name: "x"}, "branch": {Root: "/a", Branch: "x"},
	} {
		cfg := base
		cfg.Sources = []config.Source{source}
		if fmt.Sprintf("%+v", planOf(cfg, "id")) == before {
			t.Errorf("sources[].%s reaches no service", key)
		}
	}
	base.Query.Priorities = []config.Priority{{Factor: 1}}
	before = fmt.Sprintf("%+v", planOf(base, "id"))
	for key, priority := range map[string]config.Priority{
		"source": {Source: "x", Factor: 1}, "path": {Path: "x", Factor: 1}, "factor": {Factor: 2},
	} {
		cfg := base
		cfg.Query.Priorities = []config.Priority{priority}
		if fmt.Sprintf("%+v", planOf(cfg, "id")) == before {
			t.Errorf("query.priorities[].%s reaches no service", key)
		}
	}
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
// indexed again. These values are those since a passage bears all names that it defines.
func TestGenerationsOfAStateChange(t *testing.T) {
	identity := static.Identity()
	changed := config.Default()
	changed.Chunker.Target, changed.Chunker.Overlap = 700, 0
	for _, c := range []struct {
		config config.Config
		want   []document.Generation
	}{
		{config.Default(), []document.Generation{"code-cdd7007e", "docs-cdd7007e"}},
		{changed, []document.Generation{"code-9eeebc7a", "docs-9eeebc7a"}},
	} {
		p := planOf(c.config, identity)
		for i, collection := range document.Collections {
			if got := p.chunker.Generation(collection); got != c.want[i] {
				t.Errorf("the chunker cuts for %s, not for %s", got, c.want[i])
			}
		}
		if !slices.Equal(p.embedder.Generations, c.want) || !slices.Equal(c.config.Generations(identity), c.want) {
			t.Errorf("the generations are %v, not %v", p.embedder.Generations, c.want)
		}
	}
}

// The defaults stand twice: in the configuration, which prints them, and in
// each service, which also runs alone.
func TestDefaultsOfServiceAndConfigurationDiffer(t *testing.T) {
	p := planOf(config.Default(), "id")

	w := watcher.Config{Version: process.Version}
	w.SetDefaults()
	same(t, "watcher", p.watcher, w)

	c := chunker.Config{Embedder: "id"}
	c.SetDefaults()
	same(t, "chunker", p.chunker, c)

	e := embedder.Config{Generations: p.embedder.Generations}
	e.SetDefaults()
	same(t, "embedder", p.embedder, e)

	var i indexer.Config
	i.SetDefaults()
	same(t, "indexer", p.indexer, i)

	// No correction of words is a choice as well.
	q := query.Config{Version: process.Version, Spelling: config.Default().Query.Spelling}
	q.SetDefaults()
	same(t, "query", p.query, q)
}

func same(t *testing.T, name string, configured, service any) {
	t.Helper()
	a, b := reflect.ValueOf(configured), reflect.ValueOf(service)
	for i := range a.NumField() {
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			t.Errorf("%s.%s is %v in the configuration, %v in the service", name, a.Type().Field(i).Name, x, y)
		}
	}
}

// A limit that the configuration lets through must not stop a service.
func TestLimitOfServiceAndConfigurationDiffer(t *testing.T) {
	for _, bound := range []string{"min", "max"} {
		for _, path := range leaves(reflect.TypeFor[config.Config](), nil, "") {
			cfg := config.Default()
			tag := reflect.TypeFor[config.Config]().FieldByIndex(path.index).Tag.Get(bound)
			if tag == "" {
				continue
			}
			setText(t, reflect.ValueOf(&cfg).Elem().FieldByIndex(path.index), tag)
			if cfg.Validate() != nil {
				continue // contradicts another key's default
			}
			if err := Check(cfg); err != nil {
				t.Errorf("%s: %s is let through, and then: %v", path.key, tag, err)
			}
		}
	}
}

func setText(t *testing.T, v reflect.Value, text string) {
	t.Helper()
	var err error
	switch v.Interface().(type) {
	case time.Duration:
		var d time.Duration
		d, err = time.ParseDuration(text)
		v.SetInt(int64(d))
	case config.Size:
		var s config.Size
		s, err = config.ParseSize(text)
		v.SetInt(int64(s))
	case float64:
		var f float64
		_, err = fmt.Sscan(text, &f)
		v.SetFloat(f)
	default:
		var n int64
		_, err = fmt.Sscan(text, &n)
		v.SetInt(n)
	}
	if err != nil {
		t.Fatal(err)
	}
}
