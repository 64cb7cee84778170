package contract_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"
)

// declarations are the names that this package's own source declares. The
// tests read them there, so that a new constant or builder cannot be
// forgotten in a table.
type declarations struct {
	constants map[string]string // string constants by name
	builders  []string          // functions that end in Subject
	tagged    []string          // structs with a JSON tag
}

func readSource(t *testing.T) declarations {
	t.Helper()
	out := declarations{constants: map[string]string{}}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, entry.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			out.read(decl)
		}
	}
	return out
}

func (d *declarations) read(decl ast.Decl) {
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if name := decl.Name.Name; decl.Recv == nil && ast.IsExported(name) && strings.HasSuffix(name, "Subject") && name != "ParseSubject" {
			d.builders = append(d.builders, name)
		}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for i, name := range spec.Names {
					if i < len(spec.Values) {
						if lit, ok := spec.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
							d.constants[name.Name], _ = strconv.Unquote(lit.Value)
						}
					}
				}
			case *ast.TypeSpec:
				if st, ok := spec.Type.(*ast.StructType); ok && hasJSONTag(st) {
					d.tagged = append(d.tagged, spec.Name.Name)
				}
			}
		}
	}
}

func hasJSONTag(st *ast.StructType) bool {
	for _, f := range st.Fields.List {
		if f.Tag != nil && strings.Contains(f.Tag.Value, `json:"`) {
			return true
		}
	}
	return false
}

func taggedStructs(t *testing.T) []string {
	t.Helper()
	names := readSource(t).tagged
	if len(names) < 10 {
		t.Fatalf("found only %v", names)
	}
	return names
}

// constantsWith returns the values of the constants whose name has a prefix.
func constantsWith(t *testing.T, prefix string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, value := range readSource(t).constants {
		if strings.HasPrefix(name, prefix) {
			out[name] = value
		}
	}
	if len(out) == 0 {
		t.Fatalf("no constant begins with %s", prefix)
	}
	return out
}
