package rank

import (
	"math"
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// sideKind is a kind of file that is seldom meant unless it is asked for.
type sideKind struct {
	dirs     map[string]bool          // folders that hold nothing else
	word     string                   // in the name of such a folder; "" for none
	file     func(name string) bool   // lower-case name of the file
	asked    map[string]bool          // words of a query that ask for it
	strength func(w *Weights) float64 // the factor
}

// holds reports whether a folder holds nothing else: by its name, or by a word of it,
// such as test-data and "test cases".
func (k *sideKind) holds(dir string) bool {
	if k.dirs[dir] {
		return true
	}
	return k.word != "" && strings.Contains(dir, k.word) && slices.ContainsFunc(strings.FieldsFunc(dir, func(r rune) bool { return strings.ContainsRune("-_. ", r) }), func(part string) bool {
		return part == k.word || part == k.word+"s"
	})
}

var sideKinds = []sideKind{
	{
		dirs: set("test tests testing testdata __tests__ spec specs fixtures fixture mocks mock e2e testutil benches benchmark benchmarks"),
		word: "test",
		file: func(name string) bool {
			stem, _, _ := strings.Cut(name, ".")
			return strings.HasSuffix(name, ".test") || strings.HasPrefix(name, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_spec") ||
				strings.HasSuffix(stem, "-test") || strings.Contains(name, ".test.") || strings.Contains(name, ".spec.") ||
				stem == "conftest" || strings.HasPrefix(name, "mock_") || strings.HasSuffix(stem, "_mock")
		},
		asked:    set("test tests testing tested spec specs fixture fixtures mock mocks mocked benchmark benchmarks assert asserts"),
		strength: func(w *Weights) float64 { return w.PenaltyTest },
	},
	{
		dirs:     set("vendor node_modules third_party thirdparty third-party external extern deps bower_components site-packages"),
		file:     func(name string) bool { return strings.Contains(name, ".min.") },
		asked:    set("vendor vendored third_party thirdparty dependency dependencies node_modules external"),
		strength: func(w *Weights) float64 { return w.PenaltyVendor },
	},
	{
		dirs: set("generated gen autogen __generated__"),
		file: func(name string) bool {
			return strings.Contains(name, ".pb.") || strings.Contains(name, "_pb2") || strings.Contains(name, ".gen.") ||
				strings.Contains(name, "_generated") || strings.Contains(name, ".generated.") || strings.HasPrefix(name, "zz_generated") ||
				strings.HasSuffix(name, ".lock") || name == "package-lock.json" || name == "go.sum"
		},
		asked:    set("generated gen autogen protobuf lock"),
		strength: func(w *Weights) float64 { return w.PenaltyGenerated },
	},
	{
		dirs:     set("example examples _examples demo demos sample samples tutorial tutorials playground sandbox"),
		file:     func(name string) bool { return strings.HasPrefix(name, "example_") || strings.HasPrefix(name, "demo_") },
		asked:    set("example examples demo demos sample samples tutorial tutorials playground"),
		strength: func(w *Weights) float64 { return w.PenaltyExample },
	},
	{
		dirs: set("issue_template discussion_template pull_request_template"),
		file: func(name string) bool {
			stem, _, _ := strings.Cut(name, ".")
			return stem == "issue_template" || stem == "pull_request_template"
		},
		asked:    set("template templates"),
		strength: func(w *Weights) float64 { return w.PenaltyForm },
	},
	{
		dirs: set("legacy deprecated compat _legacy _compat old obsolete attic"),
		file: func(name string) bool {
			return strings.Contains(name, "deprecated") || strings.Contains(name, "legacy")
		},
		asked:    set("legacy deprecated compat compatibility old obsolete"),
		strength: func(w *Weights) float64 { return w.PenaltyLegacy },
	},
}

// penalty returns the factor for a path: 1 for an ordinary file, or for one
// that the query asks for by a word or by its path.
func (q *Query) penalty(p *place, c *candidate.Candidate, w *Weights) float64 {
	factor, power := 1.0, w.PenaltyPower
	if q.issue {
		power = w.PenaltyIssue
		if !q.asked.prose && isAside(c) {
			factor = w.PenaltyAside
		}
	}
	for i := range sideKinds {
		k := &sideKinds[i]
		inDir := slices.ContainsFunc(p.lowDirs, k.holds)
		if !inDir && !k.file(p.lowBase) && !isJavaTest(k, p.stem) {
			continue
		}
		if !q.issue && q.asksFor(k.asked) {
			continue
		}
		factor *= k.strength(w)
	}
	if factor == 1 || q.namesPath(p) > 0 {
		return 1
	}
	return math.Pow(factor, power)
}

// isAside reports whether a passage is no code: prose, or data.
func isAside(c *candidate.Candidate) bool {
	return contract.CollectionOf(c.Generation).Prose() || c.Attrs.Language == language.Text || language.Get(c.Attrs.Language).Data
}

// isJavaTest finds ParserTest.java and ParserTests.cs, where the case tells
// them from "latest".
func isJavaTest(k *sideKind, stem string) bool {
	return k == &sideKinds[0] && (strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasSuffix(stem, "Spec"))
}

// IsTest reports whether a file holds tests, by its path.
func IsTest(p document.Path) bool {
	raw := document.Path(p.Raw())
	low := strings.ToLower(string(raw))
	for dir := range strings.SplitSeq(path.Dir(low), "/") {
		if sideKinds[0].holds(dir) {
			return true
		}
	}
	return sideKinds[0].file(path.Base(low)) || isJavaTest(&sideKinds[0], raw.Stem())
}

func (q *Query) asksFor(words map[string]bool) bool {
	for w := range words {
		if q.typed[w] {
			return true
		}
	}
	return false
}
