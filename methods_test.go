package freshet

import (
	"go/ast"
	"path"
	"testing"
)

// Most methods of a type: with more it is several. A store has one for each
// request that its server takes.
const (
	mostMethods  = 25
	mostOfAStore = 40
)

func TestNoType_IsSeveral(t *testing.T) {
	counted := methods(t, "pkg", "services", "lab", "checks")
	if len(counted) < 300 {
		t.Errorf("only %d types were counted", len(counted))
	}
	for name, of := range counted {
		most := mostMethods
		if under(name, "pkg/store") {
			most = mostOfAStore
		}
		exported := 0
		for method := range of {
			if ast.IsExported(method) {
				exported++
			}
		}
		if len(of) > most || exported > mostMethods {
			t.Errorf("%s has %d methods, %d of them exported: at most are %d and %d, so make it several", name, len(of), exported, most, mostMethods)
		}
	}
}

// methods are those of the types below folders, by folder and name of the type.
// One that several systems have counts once.
func methods(t *testing.T, folders ...string) map[string]map[string]bool {
	t.Helper()
	out := map[string]map[string]bool{}
	for _, file := range sources(t, folders...) {
		for _, d := range parse(t, file).Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			name := path.Dir(file) + "." + receiver(f.Recv.List[0].Type)
			if out[name] == nil {
				out[name] = map[string]bool{}
			}
			out[name][f.Name.Name] = true
		}
	}
	return out
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return ""
}

func TestMethods_AreCounted(t *testing.T) {
	if got := methods(t, "pkg/bus")["pkg/bus.Table"]; len(got) < 8 || !got["Range"] {
		t.Errorf("the methods of a table are %v", got)
	}
}
