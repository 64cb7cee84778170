package render

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// About is everything that is known of a path, and what it comes to.
type About struct {
	File    *contract.FileExplanation // the watcher's, if it answered
	Log     *contract.Explanation     // the query service's, if it was asked
	Trouble []string                  // who did not answer

	Verdict contract.Verdict
	Summary string
	Next    []string
	Actions []document.Action
}

// Judged returns a with what it comes to. The source is asked first: what is
// left out there is in no index.
func (a About) Judged() About {
	switch {
	case a.File == nil:
		a.take(a.Log.Verdict, a.Log.Summary, a.Log.Next, a.Log.Actions)
	case a.Log == nil:
		a.take(a.File.Verdict, a.File.Summary, a.File.Next, a.File.Actions)
		if a.File.Waits != "" {
			a.Summary += " Now " + a.File.Waits + "."
		}
	default:
		a.merge()
	}
	if a.Log != nil && a.Log.Search != nil {
		s := a.Log.Search
		summary := s.Summary
		if a.Verdict != contract.VerdictIndexed && s.Verdict != contract.VerdictFound {
			summary += " " + a.Summary
		}
		next, actions := s.Next, s.Actions
		if s.Stage == "index" {
			next, actions = a.Next, a.Actions
		}
		a.take(s.Verdict, summary, next, actions)
	}
	return a
}

// merge puts what the source and the log say of a document together.
func (a *About) merge() {
	file, log := a.File, a.Log
	switch file.Verdict {
	case contract.VerdictLogged:
		a.take(log.Verdict, log.Summary, log.Next, log.Actions)
	case contract.VerdictFolder:
		a.take(file.Verdict, file.Summary, file.Next, file.Actions)
		if log.Verdict == contract.VerdictFolder {
			a.Summary += " In the log, " + lower(log.Summary)
		}
	case contract.VerdictDeleted:
		a.take(file.Verdict, file.Summary, file.Next, file.Actions)
		if file.InStep {
			a.take(log.Verdict, log.Summary, log.Next, log.Actions)
		}
	default:
		a.take(file.Verdict, file.Summary, file.Next, file.Actions)
	}
	if !file.InStep && file.Waits != "" {
		a.Summary += " Now " + file.Waits + "."
	}
}

func lower(sentence string) string {
	if rest, ok := strings.CutPrefix(sentence, "The "); ok {
		return "the " + rest
	}
	return sentence
}

func (a *About) take(v contract.Verdict, summary string, next []string, actions []document.Action) {
	a.Verdict, a.Summary, a.Next, a.Actions = v, summary, next, actions
}

// Searchable reports whether the path can be found as it is now; with a search,
// whether that finds it.
func (a About) Searchable() bool {
	switch a.Verdict {
	case contract.VerdictIndexed, contract.VerdictFound, contract.VerdictFolder:
		return true
	}
	return false
}
