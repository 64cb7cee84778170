package mine

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

const (
	// mostCommits bounds how far back a history is read.
	mostCommits = 5000
	// mostChanged is the number of files up to which a commit is about
	// something: what changes more of them is a sweep.
	mostChanged = 6
)

// Why a commit is left out.
const (
	trivialCommit = "has a message that says too little"
	sweep         = "changes too many files"
	nothingFound  = "changes no file that its parent has"
	mechanical    = "is a version, a format, a revert or the like"
)

// mineHistory makes the commit tasks of the one source, where it is a git
// repository.
func mineHistory(ctx context.Context, o *Options, t *tally) (tasks []eval.Task, notes []string, err error) {
	if len(o.Sources) > 1 {
		return nil, []string{"no tasks of kind commit: they are made of one repository alone, and several sources are named"}, nil
	}
	root, kind, err := survey.Locate(o.Sources[0].Path)
	if err != nil {
		return nil, nil, err
	}
	if kind == contract.SourceFolder {
		return nil, []string{fmt.Sprintf("no tasks of kind commit: %s is no git repository", root)}, nil
	}
	o.Progress("reading the history", 0, 0)
	shallow, err := isShallow(ctx, root)
	if err != nil {
		return nil, nil, err
	}
	commits, err := history(ctx, root, mostCommits)
	if err != nil {
		return nil, nil, err
	}
	tasks = commitTasks(o, commits, t)
	if shallow {
		notes = append(notes, fmt.Sprintf("%s is a shallow clone: tasks of kind commit come from the %d commits that it has; `git fetch --unshallow` brings the others", root, len(commits)))
	}
	return tasks, notes, nil
}

// commitTasks chooses among commits.
func commitTasks(o *Options, commits []commit, t *tally) []eval.Task {
	var tasks []eval.Task
	asked := map[string]int{}
	for _, c := range commits {
		query, _ := judgeMessage(c.subject)
		asked[query]++
	}
	by := map[string]commit{}
	names := make([]file, len(commits))
	for i, c := range commits {
		names[i] = file{name: c.id}
		by[c.id] = c
	}
	for _, f := range shuffled(names, o.Seed) {
		c := by[f.name]
		query, why := judgeMessage(c.subject)
		targets := targetsOf(c)
		switch {
		case why != "":
		case asked[query] > 1:
			why = elsewhere
		case len(targets) == 0:
			why = nothingFound
		case len(c.changed)+c.added > 3*mostChanged, len(targets) > mostChanged:
			why = sweep
		case len(tasks) >= o.Tasks:
			why = enough
		}
		if why != "" {
			t.leave(KindCommit, why, 1)
			continue
		}
		task := NewTask(o.Group, KindCommit, languageOf(targets), query, targets...)
		task.Commit = c.parent
		tasks = append(tasks, task)
	}
	return tasks
}

// targetsOf are the files that a commit is about.
func targetsOf(c commit) []eval.Target {
	var out []eval.Target
	for _, name := range c.changed {
		if !follows.MatchString(name) && !isFormal(name) {
			out = append(out, eval.Target{Path: name, Grade: 1})
		}
	}
	return out
}

// languageOf is the language of all targets, or "" for several.
func languageOf(targets []eval.Target) string {
	common := ""
	for i, t := range targets {
		l := language.Detect(document.EncodePath(t.Path), nil)
		if i > 0 && l != common {
			return ""
		}
		common = l
	}
	return common
}

// follows are files that change with others, written by programs or as a
// formality.
var follows = regexp.MustCompile(`(?i)(^|/)(go\.(mod|sum|work|work\.sum)|[^/]*[-.]lock(\.[a-z]+)?|package(-lock)?\.json|cargo\.(lock|toml)|version[^/]*|authors|contributors|\.[^/]*ignore)$|\.(png|jpe?g|gif|svg|ico|pdf|zip|gz)$|(^|/)(vendor|node_modules|testdata)/`)

var (
	typed    = regexp.MustCompile(`^(?i:feat|fix|docs?|style|refactor|perf|test|build|ci|chore|revert|bug|feature)(\([^)]*\))?!?:\s*`)
	place    = regexp.MustCompile(`^(\[[^\]]*\]\s*)+|^[\w./{},* -]{1,40}?:\s+`)
	number   = regexp.MustCompile(`\s*\((#|gh-|!)\d+\)|\s*(\b(fix(es|ed)?|close[sd]?|refs?|see)\s+)?#\d+\b`)
	routine  = regexp.MustCompile(`(?i)^(revert|merge|bump|release|prepare (for )?(the )?(next )?(release|version)|v?\d+\.\d+|(update|upgrade|bump) (dep|go |version|to v|changelog|submodule|copyright|readme|license|vendor)|go mod tidy|gofmt|go fmt|format|reformat|lint|fix (lint|typo|spelling|build|ci|test|format|whitespace|comment)|typos?\b|wip\b|fixup!|squash!|initial commit|first commit|cleanup|clean up|minor|misc|whitespace|tidy|sync |backport|cherry.?pick)`)
	byRobots = regexp.MustCompile(`(?i)\b(dependabot|renovate)\b|\bfrom v?\d+(\.\d+)+ to v?\d+|\bto v?\d+\.\d+(\.\d+)?$`)
)

// judgeMessage turns a commit's subject into a question, or says why not. What
// names a place, a type or an issue is taken off.
func judgeMessage(subject string) (query, why string) {
	if routine.MatchString(subject) || byRobots.MatchString(subject) {
		return "", mechanical
	}
	query = typed.ReplaceAllString(subject, "")
	query = place.ReplaceAllString(query, "")
	query = plain(number.ReplaceAllString(query, ""))
	query = strings.TrimRight(query, ". ")
	switch {
	case routine.MatchString(query):
		return query, mechanical
	case len(strings.Fields(query)) < leastWords:
		return query, trivialCommit
	case len(strings.Fields(query)) > mostWords, !isProse(query):
		return query, noProse
	}
	fresh := map[string]bool{}
	for _, s := range stems(query) {
		if len(s) > 2 && !stopWords[s] {
			fresh[s] = true
		}
	}
	if len(fresh) < leastNew {
		return query, trivialCommit
	}
	return query, ""
}
