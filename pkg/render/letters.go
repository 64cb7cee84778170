package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Letters writes one line for each dead letter: path, stage, age, attempts and
// reason.
func Letters(w io.Writer, s terminal.Style, places Places, list []contract.DeadLetter, now time.Time) error {
	t := tabwriter.NewWriter(s.Fit(w), 0, 0, 2, ' ', 0)
	p := &terminal.Printer{W: t}
	for _, l := range list {
		p.Linef("%s\t%s\t%s\t%s\t%s", places.Path(l.Source, l.Path), l.Stage, terminal.Age(l.FailedAt, now),
			terminal.Plural(l.Attempts, "attempt", "attempts"), standing(s, l)+terminal.Shorten(terminal.Printable(firstLine(l.Reason)), excerptWidth))
	}
	if p.Err == nil {
		p.Err = t.Flush()
	}
	return p.Err
}

// standing tells what is not as usual with a letter. It stands in the last
// column, where colours do no harm to the alignment.
func standing(s terminal.Style, l contract.DeadLetter) string {
	switch {
	case l.State == contract.LetterDismissed:
		return s.Faint("dismissed: ")
	case l.State == contract.LetterRetrying:
		return s.Bold("retrying: ")
	case !l.Newest:
		return s.Faint("a newer version is on its way: ")
	}
	return ""
}

func firstLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		return line + " …"
	}
	return line
}

// failures say in words what a kind of failure is.
var failures = map[contract.FailureKind]string{
	contract.FailureTries:   "every try failed",
	contract.FailureRefused: "no further try could have mended it",
	contract.FailurePanic:   "the code of the stage broke",
	contract.FailureKilled:  "processes ended while they handled it",
}

// LetterDetails writes all that is known of dead letters, and what to do.
func LetterDetails(w io.Writer, s terminal.Style, places Places, list []contract.DeadDetail, now time.Time) error {
	p := &terminal.Printer{W: w}
	for i, l := range list {
		if i > 0 {
			p.Linef("")
		}
		path := places.Path(l.Source, l.Path)
		p.Linef("%s  %s", s.Path(path), s.Bold(string(l.Stage)))
		row := func(name, text string) { p.Linef("  %s  %s", s.Faint(fmt.Sprintf("%-8s", name)), text) }
		when := terminal.Age(l.FailedAt, now)
		if !l.FailedAt.IsZero() {
			when += l.FailedAt.Local().Format(" (2006-01-02 15:04:05)")
		}
		row("state", fmt.Sprintf("%s, %s, after %s", l.State, when, terminal.Plural(l.Attempts, "attempt", "attempts")))
		if text := failures[l.Kind]; text != "" {
			row("kind", string(l.Kind)+": "+text)
		}
		for n, line := range strings.Split(strings.TrimSpace(l.Reason), "\n") {
			name := "reason"
			if n > 0 {
				name = ""
			}
			row(name, s.Bad(terminal.Printable(line)))
		}
		for _, view := range slices.Sorted(maps.Keys(l.Versions)) {
			row("version", terminal.Printable(string(view))+" "+versionLine(l.Versions[view], l.Now[view]))
		}
		if l.InputSubject != "" {
			row("message", fmt.Sprintf("%s, sequence %d", l.InputSubject, l.InputSeq))
		}
		row("next", nextStep(l.DeadLetter, path))
	}
	return p.Err
}

func versionLine(failed, now document.Version) string {
	switch {
	case now == failed:
		return fmt.Sprintf("%d, the newest", failed)
	case now == 0:
		return fmt.Sprintf("%d, of a document that is forgotten", failed)
	}
	return fmt.Sprintf("%d; the newest is %d", failed, now)
}

// nextStep says what a person can do about a letter.
func nextStep(l contract.DeadLetter, path string) string {
	retry := "`freshet dlq retry " + path + "`"
	switch {
	case l.State == contract.LetterRetrying:
		return "wait: the stage " + string(l.Stage) + " handles it again as soon as it runs, see `freshet status`"
	case l.State == contract.LetterDismissed:
		return "nothing; its next version is tried as ever, and `freshet dlq retry --dismissed " + path + "` tries this one"
	case !l.Newest:
		return "wait: a newer version is on its way, and clears this when it succeeds"
	}
	drop := ", or dismiss it with `freshet dlq drop " + path + "`"
	switch l.Kind {
	case contract.FailurePanic, contract.FailureKilled:
		return "report it with the file; change or ignore the file, or update freshet and " + retry + drop
	case contract.FailureRefused:
		return "change the file, which tries it by itself; or update freshet and " + retry + drop
	}
	return "mend what the reason names, then " + retry + "; a change of the file tries it by itself" + drop
}

// Dismissed writes one line for each letter that was dismissed.
func Dismissed(w io.Writer, s terminal.Style, places Places, list []contract.DeadRef) error {
	p := &terminal.Printer{W: w}
	for _, l := range list {
		p.Linef("%s  %s  %s", s.Faint("dismissed"), places.Path(l.Source, l.Path), l.Stage)
	}
	return p.Err
}

// Outcomes writes one line for each retry; outcomes are in the order of list.
func Outcomes(w io.Writer, s terminal.Style, places Places, list []contract.DeadRef, outcomes []contract.DeadOutcome) error {
	p := &terminal.Printer{W: w}
	for i, l := range list {
		path := places.Path(l.Source, l.Path)
		switch o := outcomes[i]; o.Outcome {
		case contract.RetryDone:
			p.Linef("%s       %s", s.Good("done"), path)
		case contract.RetryFailed:
			p.Linef("%s     %s  %s: %s", s.Bad("failed"), path, o.Stage, terminal.Printable(firstLine(o.Reason)))
		case contract.RetryWaiting:
			p.Linef("%s    %s  %s", s.Bold("waiting"), path, l.Stage)
		default:
			p.Linef("%-9s  %s", o.Outcome, path)
		}
	}
	return p.Err
}

// Retrying is the progress line of a retry.
func Retrying(outcomes []contract.DeadOutcome, elapsed time.Duration) string {
	n := map[contract.RetryOutcome]int{}
	for _, o := range outcomes {
		n[o.Outcome]++
	}
	parts := []string{fmt.Sprintf("retrying  %ds  %s", int(elapsed.Seconds()), terminal.Plural(len(outcomes), "document", "documents"))}
	for _, o := range contract.RetryOutcomes {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", o, terminal.Count(n[o])))
		}
	}
	return strings.Join(parts, "  ")
}
