package freshet

import (
	"go/ast"
	"regexp"
	"slices"
	"testing"
)

// ofAll are the functions of two packages that speak to a logger which all of a
// process have in common, or make it.
var ofAll = map[string]*regexp.Regexp{
	`"log/slog"`: regexp.MustCompile(`^slog\.(Default|SetDefault|With|Log|LogAttrs|(Debug|Info|Warn|Error)(Context)?)$`),
	`"log"`:      regexp.MustCompile(`^log\.(Default|Set[A-Z].*|(Print|Fatal|Panic)(f|ln)?)$`),
}

// What somebody says is heard where whoever made it wants to have it heard.
func TestLogger_IsGivenToWhoeverLogs(t *testing.T) {
	looked := 0
	for _, file := range sources(t, "pkg", "services", "lab", "checks") {
		syntax := parse(t, file)
		for path, common := range ofAll {
			if !slices.ContainsFunc(syntax.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == path }) {
				continue
			}
			looked++
			ast.Inspect(syntax, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := s.X.(*ast.Ident); ok && common.MatchString(of.Name+"."+s.Sel.Name) {
						t.Errorf("%s calls %s.%s: take a logger from who makes it", file, of.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if looked < 30 {
		t.Errorf("only %d files log anything", looked)
	}
}
