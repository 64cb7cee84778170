package render

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// About is everything that is known of a path, and what it comes to.
type About struct {
	File    *contract.FileExplanation // the watcher's, if it answered
	Log     *contract.Explanation     // the query service's, if it was asked
	Trouble []string                  // who did not answer

	Verdict contract.Verdict
	Summary string
	Next    []string
}

// Judged returns a with what it comes to. The source is asked first: what is
// left out there is in no index.
func (a About) Judged() About {
	switch {
	case a.File == nil:
		a.take(a.Log.Verdict, a.Log.Summary, a.Log.Next)
	case a.Log == nil:
		a.take(a.File.Verdict, a.File.Summary, a.File.Next)
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
		next := s.Next
		if s.Stage == "index" {
			next = a.Next
		}
		a.take(s.Verdict, summary, next)
	}
	return a
}

// merge puts what the source and the log say of a document together.
func (a *About) merge() {
	file, log := a.File, a.Log
	switch file.Verdict {
	case contract.VerdictLogged:
		a.take(log.Verdict, log.Summary, log.Next)
	case contract.VerdictFolder:
		a.take(file.Verdict, file.Summary, file.Next)
		if log.Verdict == contract.VerdictFolder {
			a.Summary += " In the log, " + lower(log.Summary)
		}
	case contract.VerdictDeleted:
		a.take(file.Verdict, file.Summary, file.Next)
		if file.InStep {
			a.take(log.Verdict, log.Summary, log.Next)
		}
	default:
		a.take(file.Verdict, file.Summary, file.Next)
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

func (a *About) take(v contract.Verdict, summary string, next []string) {
	a.Verdict, a.Summary, a.Next = v, summary, next
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
