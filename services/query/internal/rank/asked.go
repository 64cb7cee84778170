package rank

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// asked is the kind of file that a question asks for by name. Words that ask for
// code, such as function, are not among them: in a mixed index they moved the
// answer of 3 questions of 754.
type asked struct {
	languages map[string]bool // as passages carry them; nil for none
	prose     bool
}

// languages are the words that name a programming language and little else, with
// the names that passages carry. Formats of data are left out: who parses JSON
// seldom looks for a JSON file.
var languages = map[string][]string{
	"python": {"python"}, "javascript": {"javascript"}, "typescript": {"typescript", "tsx"}, "golang": {"go"},
	"rust": {"rust"}, "java": {"java"}, "kotlin": {"kotlin"}, "ruby": {"ruby"}, "php": {"php"}, "c++": {"cpp"}, "cpp": {"cpp"},
	"c#": {"csharp"}, "csharp": {"csharp"}, "f#": {"fsharp"}, "fsharp": {"fsharp"}, "haskell": {"haskell"}, "elixir": {"elixir"},
	"erlang": {"erlang"}, "scala": {"scala"}, "swift": {"swift"}, "lua": {"lua"}, "zig": {"zig"}, "clojure": {"clojure"},
	"ocaml": {"ocaml"}, "perl": {"perl"}, "bash": {"bash"}, "powershell": {"powershell"}, "julia": {"julia"}, "dart": {"dart"},
	"fortran": {"fortran"},
}

// shortNames name a language only where the words beside them say so.
var shortNames = map[string][]string{
	"go": {"go"}, "c": {"c"}, "r": {"r"}, "d": {"d"}, "js": {"javascript"}, "ts": {"typescript", "tsx"}, "py": {"python"},
	"rb": {"ruby"}, "shell": {"bash"}, "sh": {"bash"}, "nim": {"nim"}, "elm": {"elm"},
}

var (
	codeNouns  = set("code file files function functions method class classes implementation source script scripts test tests package module")
	proseWords = set("docs documentation readme guide tutorial handbook changelog runbook howto faq")
)

// whatIsAsked looks at the words of a question. A single word is what is looked
// for, and so are all words of a path and of an error message.
func whatIsAsked(text string, class analysis.Class) asked {
	var a asked
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || class == analysis.Path || class == analysis.Error {
		return a
	}
	for i := range words {
		words[i] = strings.Trim(words[i], "\"'`,;:!?()[]{}.")
	}
	for i, w := range words {
		a.prose = a.prose || proseWords[w]
		names := languages[w]
		if names == nil && (i > 0 && words[i-1] == "in" || i+1 < len(words) && codeNouns[words[i+1]]) {
			names = shortNames[w]
		}
		for _, n := range names {
			if a.languages == nil {
				a.languages = map[string]bool{}
			}
			a.languages[n] = true
		}
	}
	return a
}

// asks returns the factors for a file in a language that is asked for, and for
// prose where that is.
func (q *Query) asks(c *candidate.Candidate, w *Weights) (language, intent float64) {
	language, intent = 1, 1
	if q.asked.languages[c.Attrs.Language] {
		language += w.Language
	}
	if q.asked.prose && contract.CollectionOf(c.Generation) == document.CollectionDocs {
		intent += w.Intent
	}
	return language, intent
}
