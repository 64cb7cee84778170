package related

import (
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestWhatIsNoName_IsNotTakenForOne(t *testing.T) {
	for _, c := range []struct {
		lang, text string
		own        []string
		want       []string
	}{
		{"go", "func Retry(c Config) {\n\tx := rpc.Endpoint(c, \"Called(x)\") // Comment(x)\n\tif done { return }\n\tx.Close()\n\tlimit(x)\n}\n", []string{"Retry"}, []string{"rpc.Endpoint", "x.Close", "limit", "Config"}},
		{"python", "def retry(n):\n    # Comment()\n    s = 'Quoted()'\n    self.back_off(n)\n    return MAX_TRIES\n", []string{"Client.retry"}, []string{"self.back_off", "MAX_TRIES"}},
		{"cpp", "void f() { std::vector<int> v; p->Reset(); Reset(); }", nil, []string{"p->Reset"}},
		{"markdown", "Call Retry() twice.", nil, nil},
		{"go", "x := \"open\n", nil, nil},
	} {
		if got := Used([]byte(c.text), c.lang, c.own, 10); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", c.text, got)
		}
	}
	if got := Used([]byte("Alpha() Beta() Gamma()"), "go", nil, 2); len(got) != 2 {
		t.Errorf("%q", got)
	}
}

func TestUseOfAnotherName_IsNotTakenForOne(t *testing.T) {
	at := func(path document.Path, lang string) store.Attrs {
		return store.Attrs{Source: "a", Path: path, Language: lang, Kind: document.KindMethod, Symbol: "Server.Serve"}
	}
	use := NewUse("Server.Serve", at("net/http/server.go", "go"))
	var last float64 = 2
	for _, c := range []struct {
		path document.Path
		lang string
		text string
	}{
		{"net/http/server.go", "go", "var s Server\ns.Serve(l)"},
		{"cmd/main.go", "go", "http.Serve(l)"},
		{"cmd/main.go", "go", "var s Server\nx.Serve(l)"},
		{"net/http/other.go", "go", "go Serve(l)"},
		{"cmd/main.go", "go", "x.Serve(l)"},
		{"cmd/main.py", "python", "x.Serve(l)"},
	} {
		a := at(c.path, c.lang)
		sure := use.In(&a, []byte(c.text))
		if sure <= 0 || sure > 1 || sure > last {
			t.Errorf("%s in %s: %v, and what is less sure before %v", c.text, c.path, sure, last)
		}
		last = sure
	}
	for _, text := range []string{"x.Serves(l)", "// Serve", "s := \"Serve\"", ""} {
		a := at("net/http/other.go", "go")
		if sure := use.In(&a, []byte(text)); sure != 0 {
			t.Errorf("%s: %v", text, sure)
		}
	}
	prose := at("net/http/README.md", "markdown")
	if use.In(&prose, []byte("Serve(l)")) != 0 {
		t.Error("prose uses a name")
	}
}

func TestDefinitionNearby_IsSurerThanElsewhere(t *testing.T) {
	by := store.Attrs{Source: "a", Path: "net/http/client.go", Language: "go"}
	last := 2.0
	for _, c := range []struct {
		used, symbol string
		path         document.Path
		source       document.Source
		lang         string
	}{
		{"retry", "retry", "net/http/client.go", "a", "go"},
		{"retry", "retry", "net/http/retry.go", "a", "go"},
		{"rpc.Endpoint", "Endpoint", "pkg/rpc/endpoint.go", "a", "go"},
		{"x.Close", "Conn.Close", "net/http/conn.go", "a", "go"},
		{"retry", "retry", "pkg/retry.go", "b", "go"},
		{"x.Close", "Close", "pkg/file.go", "a", "go"},
		{"x.Close", "Close", "pkg/file.go", "b", "python"},
	} {
		sure := Defines(c.used, &by, &store.Attrs{Source: c.source, Path: c.path, Language: c.lang, Symbol: c.symbol, Kind: document.KindFunction})
		if sure <= 0 || sure > last {
			t.Errorf("%+v: %v, and before %v", c, sure, last)
		}
		last = sure
	}
	if sure := Defines("retry", &by, &store.Attrs{Source: "a", Path: "net/http/client.go", Symbol: "retrying", Kind: document.KindFunction}); sure != 0 {
		t.Error(sure)
	}
}
