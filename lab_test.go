package freshet

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ofServices are what the laboratory takes of services beside asking them over NATS:
// of each one thing that needs no log, with what it is made of.
var ofServices = map[string][]string{
	"services/query":   {"NewReplay", "Replay", "PerFile", "NewPriorities", "NewLearnedReranker", "LearnedReranker", "RankingName", "RerankerFeatures"},
	"services/chunker": {"NewCutter", "Cutter", "FromConfig", "ParserChildOrReturn"},
}

// What it measures is what a client gets: it starts no service by itself.
func TestLaboratory_TakesOneThingOfAService(t *testing.T) {
	used := map[string]map[string]bool{}
	for _, file := range sources(t, "lab") {
		syntax := parse(t, file)
		roots := map[string]string{} // by the name of the import
		for _, spec := range syntax.Imports {
			whole, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if folder, ours := strings.CutPrefix(whole, module); ours && root(folder) {
				roots[path.Base(folder)] = folder
				if spec.Name != nil {
					t.Errorf("%s calls %s otherwise: import it by its own name", file, folder)
				}
			}
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := s.X.(*ast.Ident)
			if !ok || roots[of.Name] == "" {
				return true
			}
			folder := roots[of.Name]
			if used[folder] == nil {
				used[folder] = map[string]bool{}
			}
			used[folder][s.Sel.Name] = true
			if !slices.Contains(ofServices[folder], s.Sel.Name) {
				t.Errorf("%s uses %s of %s: ask the service over NATS, or say in ofServices what it is", file, s.Sel.Name, folder)
			}
			return true
		})
	}
	for folder, all := range ofServices {
		for _, of := range all {
			if !used[folder][of] {
				t.Errorf("the laboratory does not use %s of %s: take it out of ofServices", of, folder)
			}
		}
	}
}
