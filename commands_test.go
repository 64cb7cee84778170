package freshet

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// frontEnd is where people type, or agents do: what it prints may say what to.
var frontEnd = []string{"services/freshet/internal/cli", "services/freshet/internal/forecast", "pkg/render", "pkg/command", "pkg/mcpserver", "services/gateway/internal/page"}

// runs are the files whose strings are command lines that something runs, or the
// usage of a program of its own.
var runs = map[string]string{
	"services/watcher/internal/githook/block.go": "what stands in a hook, and what git runs there",
	"services/freshet/internal/export/neo4j.go":  "the script that calls Neo4j's importer",
	"pkg/process/flags.go":                       "the command line of the programs of the services",
}

// A service is asked over NATS, HTTP and MCP as well: what it says names no
// command line of one of them, but an action (pkg/document), for which each front
// end has its own words.
func TestSentencesOfServices_NameNoCommandLine(t *testing.T) {
	named := regexp.MustCompile("`freshet[ `]|\\bfreshet (" + strings.Join(commands(t), "|") + ")\\b|(^|[\\s`(])--[a-z][a-z-]+")
	files := 0
	for _, file := range sources(t, "services", "pkg") {
		if runs[file] != "" || slices.ContainsFunc(append(frontEnd, commandFolder(file)), func(f string) bool { return under(file, f) }) {
			continue
		}
		files++
		each(t, file, func(text string, at token.Position) {
			argument := strings.HasPrefix(text, "--") && !strings.ContainsAny(text, " `") // of another program
			if found := named.FindString(text); found != "" && !argument {
				t.Errorf("%s: %q names a command line: let an action say it", at, text)
			}
		})
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
	for file := range runs {
		if !slices.Contains(sources(t, "services", "pkg"), file) {
			t.Errorf("%s is left out and is not there", file)
		}
	}
}

// Every action that a front end has words for is one that somebody names.
func TestEveryAction_IsNamedSomewhere(t *testing.T) {
	kind := regexp.MustCompile(`^Do[A-Z]`)
	declared, used := map[string]bool{}, map[string]bool{}
	for _, file := range sources(t, "services", "pkg") {
		if slices.ContainsFunc(frontEnd, func(f string) bool { return under(file, f) }) {
			continue
		}
		syntax := parse(t, file)
		ast.Inspect(syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if file == "pkg/document/action.go" && kind.MatchString(n.Names[0].Name) {
					declared[n.Names[0].Name] = true
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "document" {
					used[n.Sel.Name] = true
				}
			}
			return true
		})
	}
	if len(declared) == 0 {
		t.Error("no action is declared")
	}
	for name := range declared {
		if !used[name] {
			t.Errorf("the action %s is named by nobody", name)
		}
	}
}

// commands are the first words of what the command line takes.
func commands(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, file := range sources(t, frontEnd[0], "lab/commands", "checks/vulture/flight") {
		ast.Inspect(parse(t, file), func(n ast.Node) bool {
			kv, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, named := kv.Key.(*ast.Ident)
			value, text := kv.Value.(*ast.BasicLit)
			if named && text && key.Name == "Use" {
				use, _ := strconv.Unquote(value.Value)
				out = append(out, strings.Fields(use)[0])
			}
			return true
		})
	}
	if len(out) < 20 {
		t.Fatalf("the command line takes %v only", out)
	}
	return out
}

// commandFolder is the folder of a service's programs.
func commandFolder(file string) string { return path.Join(service(file), "cmd") }

// sources are the files below folders that are no tests.
func sources(t *testing.T, folders ...string) []string {
	t.Helper()
	var out []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				out = append(out, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// each calls f for every string of a file, tags of fields included.
func each(t *testing.T, file string, f func(text string, at token.Position)) {
	t.Helper()
	files := token.NewFileSet()
	syntax, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(syntax, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			text, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			f(text, files.Position(lit.Pos()))
		}
		return true
	})
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return syntax
}
