package freshet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path of the module that all of freshet's code belongs to.
const module = "github.com/freshet-dev/freshet/"

// exported are the packages of services, at most one of each, that others may see
// beside asking over NATS: each does without a log what its service does with one.
var exported = map[string]string{
	"services/watcher": "services/watcher/survey",
	"services/chunker": "services/chunker/cutter",
	"services/query":   "services/query/replay",
}

func isExported(folder string) bool { return exported[service(folder)] == folder }

// walls say what a folder's code, its tests included, may not import of
// freshet. The first that names a folder or one above it counts.
var walls = []struct {
	folder string
	may    func(folder, imported string) bool
	rule   string
}{
	{"pkg/document", nothing, "the vocabulary imports nothing of freshet"},
	{"pkg/store", func(_, i string) bool { return under(i, "pkg") && !under(i, "pkg/bus") }, "a store knows no log and no service"},
	{"pkg/rpc", func(_, i string) bool { return under(i, "pkg") && (!under(i, "pkg/bus") || i == "pkg/bus/bustest") }, "request and reply know no log"},
	{"pkg/mcpserver", func(_, i string) bool {
		return under(i, "pkg") && !under(i, "pkg/store") && !under(i, "pkg/embed")
	}, "the server for agents is a client, of which each session has one"},
	{"pkg/command", func(_, i string) bool {
		return under(i, "pkg") && !under(i, "pkg/store") && !under(i, "pkg/embed")
	}, "the commands that ask are clients"},
	{"pkg", func(_, i string) bool { return under(i, "pkg") }, "what services share knows none of them"},
	{"services/freshet", func(_, i string) bool {
		return under(i, "pkg") || under(i, "services/freshet") || root(i) || isExported(i) || under(i, "lab") && !under(i, "lab/cmd") || under(i, "checks/vulture")
	}, "the program sees of a service its root and what it exports, and the laboratory and the vulture as libraries"},
	{"lab", func(_, i string) bool {
		return under(i, "pkg") || under(i, "lab") || isExported(i)
	}, "the laboratory sees of a service the package that it exports, never its root"},
	{"checks/vulture", func(_, i string) bool { return under(i, "pkg") || under(i, "checks/vulture") }, "the vulture knows of a freshet what every client knows"},
	{"checks", func(_, i string) bool {
		return under(i, "pkg") || under(i, "checks") || under(i, "lab") || root(i) || isExported(i) || i == "services/freshet/commandline"
	}, "a check sees of a service its root and what it exports, and of the program its command line"},
	{"services/gateway", func(f, i string) bool {
		return under(i, "pkg") && !under(i, "pkg/store") && !under(i, "pkg/embed") || i == "schemas" || service(i) == service(f)
	}, "the gateway is a client, which gives out the schemas"},
	{"services/evaluator", func(f, i string) bool {
		return under(i, "pkg") && !under(i, "pkg/store") && !under(i, "pkg/embed") || i == "lab/eval" || service(i) == service(f)
	}, "the evaluator is a client, which measures as the laboratory does"},
	{"services/indexer/internal/verify", func(_, i string) bool {
		return under(i, "pkg") && !under(i, "pkg/store") && !under(i, "pkg/embed") || i == "services/indexer/internal/judge"
	}, "a comparison knows a store by its port"},
	{"services/watcher/survey", inside, "what a service exports needs no service"},
	{"services/chunker/cutter", inside, "what a service exports needs no service"},
	{"services/query/replay", inside, "what a service exports needs no service"},
	{"services", func(f, i string) bool { return under(i, "pkg") || service(i) == service(f) }, "services never import each other"},
}

// openers are the folders of packages among which the configuration chooses, and who may
// open one. Everybody else knows the port only.
var openers = map[string]struct {
	by   []string
	rest []string // packages beside them that are no choice
	rule string
}{
	"pkg/embed": {[]string{"pkg/embed/open"}, []string{"embedtest", "open"}, "an embedder, its identity and its dimensions come from pkg/embed/open"},
	"pkg/store": {[]string{"pkg/store"}, []string{"open", "storetest"}, "a store comes from pkg/store/open"},
}

// trains are those who make a model of one kind, and therefore know that kind.
var trains = map[string][]string{
	"pkg/embed/static":      {"lab/adapt", "pkg/embed/embedtest"},
	"pkg/embed/transformer": {"lab/cmd/freshet-vectors", "services/freshet/internal/cli"},
}

// chosenBy is the rule that a file of a folder breaks by importing what is
// chosen elsewhere, "" for none. Tests may open an embedded store to look into
// it, or to damage it.
func chosenBy(file, imported string) string {
	port := path.Dir(imported)
	o, is := openers[port]
	switch {
	case !is || slices.Contains(o.rest, path.Base(imported)):
		return ""
	case port == "pkg/store" && strings.HasSuffix(file, "_test.go"):
		return ""
	case slices.ContainsFunc(slices.Concat(o.by, trains[imported], []string{imported}), func(folder string) bool { return under(path.Dir(file), folder) }):
		return ""
	}
	return o.rule
}

func nothing(string, string) bool { return false }

// inside allows what is shared, and what the folder's service keeps to itself.
func inside(folder, imported string) bool {
	return under(imported, "pkg") || under(imported, service(folder)+"/internal")
}

func under(name, folder string) bool {
	return name == folder || strings.HasPrefix(name, folder+"/")
}

// root tells the folder that all may see of a service.
func root(folder string) bool { return under(folder, "services") && service(folder) == folder }

// service is the root of the service that a folder belongs to.
func service(folder string) string {
	parts := strings.SplitN(folder, "/", 3)
	return path.Join(parts[:min(len(parts), 2)]...)
}

func TestImports_KeepToTheWalls(t *testing.T) {
	looked := 0
	for _, top := range []string{"pkg", "services", "lab", "checks"} {
		err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") {
				return err
			}
			looked++
			return look(t, filepath.ToSlash(name))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked < 500 {
		t.Errorf("only %d files were looked at", looked)
	}
}

func look(t *testing.T, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return err
	}
	folder := path.Dir(file)
	for _, spec := range f.Imports {
		whole, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if imported, ours := strings.CutPrefix(whole, module); ours {
			for _, rule := range []string{broken(folder, imported), chosenBy(file, imported)} {
				if rule != "" {
					t.Errorf("%s imports %s: %s", file, imported, rule)
				}
			}
		}
	}
	return nil
}

// asks are the packages that send requests: to the services, and to the server; and
// the checks that throw thousands of questions at it without waiting for one.
var asks = map[string]bool{"pkg/client": true, "pkg/rpc": true, "pkg/bus": true, "pkg/bus/embedded": true, "checks/siege": true, "checks/overload": true}

// requests are the methods of a connection that send one.
var requests = map[string]bool{"PublishRequest": true, "RequestWithContext": true, "RequestMsg": true, "RequestMsgWithContext": true}

// One package asks the services, so that deadlines and errors stand in one place.
func TestRequests_AreSentByTheClientAlone(t *testing.T) {
	for _, top := range []string{"pkg", "services", "lab", "checks"} {
		requestsByHand(t, top)
	}
}

func requestsByHand(t *testing.T, top string) {
	t.Helper()
	err := filepath.WalkDir(top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || asks[path.Dir(filepath.ToSlash(name))] {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ofPackage := call.X.(*ast.Ident)
			if requests[call.Sel.Name] || ofPackage && pkg.Name == "rpc" && strings.HasPrefix(call.Sel.Name, "Call") {
				t.Errorf("%s calls %s: add the request to pkg/client", name, call.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// broken is the rule that an import breaks, "" for none.
func broken(folder, imported string) string {
	for _, w := range walls {
		if under(folder, w.folder) {
			// A package and its external tests are one.
			if imported == folder || w.may(folder, imported) {
				return ""
			}
			return w.rule
		}
	}
	return ""
}

func TestWalls_AreSeen(t *testing.T) {
	for _, c := range []struct {
		folder, imported string
		whole            bool
	}{
		{"pkg/document", "pkg/contract", false},
		{"pkg/store/flat", "pkg/bus", false},
		{"pkg/store/flat", "pkg/document", true},
		{"pkg/bus", "services/query", false},
		{"pkg/rpc", "pkg/bus", false},
		{"pkg/rpc", "pkg/contract", true},
		{"pkg/mcpserver", "pkg/client", true},
		{"pkg/mcpserver", "pkg/store/flat", false},
		{"pkg/command/remote", "pkg/client", true},
		{"pkg/command/remote", "pkg/embed/open", false},
		{"pkg/command/remote", "services/freshet", false},
		{"checks/agents", "pkg/mcpserver", true},
		{"services/query/internal/rank", "services/query", true},
		{"services/query", "services/queryother", false},
		{"services/query", "services/indexer", false},
		{"services/indexer", "services/freshet/internal/state", false},
		{"services/freshet/internal/cli", "services/query", true},
		{"services/freshet/internal/cli", "services/query/cmd/query", false},
		{"services/freshet/internal/cli", "lab/eval", true},
		{"services/freshet/internal/cli", "lab/cmd/freshet-bench", false},
		{"services/query", "lab/eval", false},
		{"pkg/client", "lab/eval", false},
		{"lab/tune", "services/query", false},
		{"lab/tune", "services/query/replay", true},
		{"lab/tune", "services/query/internal/rank", false},
		{"services/freshet/internal/forecast", "services/chunker/cutter", true},
		{"services/query/replay", "services/query", false},
		{"services/query", "services/query/replay", true},
		{"services/indexer", "services/query/replay", false},
		{"lab/tune", "checks/vulture", false},
		{"services/freshet/internal/cli", "checks/vulture", true},
		{"services/freshet/internal/cli", "checks/siege", false},
		{"services/indexer", "checks/vulture", false},
		{"services/indexer/internal/verify", "services/indexer/internal/judge", true},
		{"services/indexer/internal/verify", "services/indexer", false},
		{"services/indexer/internal/verify", "pkg/store", false},
		{"checks/vulture", "services/freshet", false},
		{"checks/vulture/flight", "checks/vulture", true},
		{"checks/e2e", "services/freshet/commandline", true},
		{"checks/e2e", "services/freshet/internal/cli", false},
		{"lab/eval", "services/freshet", false},
		{"lab/eval", "services/query/internal/rank", false},
	} {
		if got := broken(c.folder, c.imported) == ""; got != c.whole {
			t.Errorf("%s imports %s: allowed %v, want %v", c.folder, c.imported, got, c.whole)
		}
	}
}

func TestOpeners_AreSeen(t *testing.T) {
	for _, c := range []struct {
		file, imported string
		whole          bool
	}{
		{"pkg/embed/open/open.go", "pkg/embed/static", true},
		{"pkg/embed/static/train/run.go", "pkg/embed/static", true},
		{"services/query/cmd/query/main.go", "pkg/embed/static", false},
		{"services/query/fixture_test.go", "pkg/embed/static", false},
		{"services/query/cmd/query/main.go", "pkg/embed/open", true},
		{"pkg/embed/open/open.go", "pkg/embed/another", true},
		{"services/indexer/service.go", "pkg/embed/another", false},
		{"services/indexer/service.go", "pkg/store/another", false},
		{"services/indexer/fixture_test.go", "pkg/embed/embedtest", true},
		{"pkg/store/open/embedded.go", "pkg/store/flat", true},
		{"services/freshet/up.go", "pkg/store/flat", false},
		{"checks/e2e/faults_test.go", "pkg/store/flat", true},
	} {
		if got := chosenBy(c.file, c.imported) == ""; got != c.whole {
			t.Errorf("%s imports %s: allowed %v, want %v", c.file, c.imported, got, c.whole)
		}
	}
}
