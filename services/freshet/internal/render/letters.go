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
)

// Letters writes one line for each dead letter: path, stage, age, attempts and
// reason.
func Letters(w io.Writer, s Style, places Places, list []contract.DeadLetter, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := &printer{w: t}
	for _, l := range list {
		p.linef("%s\t%s\t%s\t%s\t%s", places.Path(l.Source, l.Path), l.Stage, age(l.FailedAt, now),
			plural(l.Attempts, "attempt", "attempts"), standing(s, l)+shorten(printable(firstLine(l.Reason)), excerptWidth))
	}
	if p.err == nil {
		p.err = t.Flush()
	}
	return p.err
}

// standing tells what is not as usual with a letter. It stands in the last
// column, where colours do no harm to the alignment.
func standing(s Style, l contract.DeadLetter) string {
	switch {
	case l.State == contract.LetterDismissed:
		return s.faint("dismissed: ")
	case l.State == contract.LetterRetrying:
		return s.bold("retrying: ")
	case !l.Newest:
		return s.faint("a newer version is on its way: ")
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

// age is how long ago something was, for a person.
func age(at, now time.Time) string {
	if at.IsZero() {
		return "-"
	}
	switch d := max(now.Sub(at), 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
}

// failures say in words what a kind of failure is.
var failures = map[contract.FailureKind]string{
	contract.FailureTries:   "every try failed",
	contract.FailureRefused: "no further try could have mended it",
	contract.FailurePanic:   "the code of the stage broke",
	contract.FailureKilled:  "processes ended while they handled it",
}

// LetterDetails writes all that is known of dead letters, and what to do.
func LetterDetails(w io.Writer, s Style, places Places, list []contract.DeadDetail, now time.Time) error {
	p := &printer{w: w}
	for i, l := range list {
		if i > 0 {
			p.linef("")
		}
		path := places.Path(l.Source, l.Path)
		p.linef("%s  %s", s.path(path), s.bold(string(l.Stage)))
		row := func(name, text string) { p.linef("  %s  %s", s.faint(fmt.Sprintf("%-8s", name)), text) }
		when := age(l.FailedAt, now)
		if !l.FailedAt.IsZero() {
			when += l.FailedAt.Local().Format(" (2006-01-02 15:04:05)")
		}
		row("state", fmt.Sprintf("%s, %s, after %s", l.State, when, plural(l.Attempts, "attempt", "attempts")))
		if text := failures[l.Kind]; text != "" {
			row("kind", string(l.Kind)+": "+text)
		}
		for n, line := range strings.Split(strings.TrimSpace(l.Reason), "\n") {
			name := "reason"
			if n > 0 {
				name = ""
			}
			row(name, s.bad(printable(line)))
		}
		for _, view := range slices.Sorted(maps.Keys(l.Versions)) {
			row("version", printable(string(view))+" "+versionLine(l.Versions[view], l.Now[view]))
		}
		if l.InputSubject != "" {
			row("message", fmt.Sprintf("%s, sequence %d", l.InputSubject, l.InputSeq))
		}
		row("next", nextStep(l.DeadLetter, path))
	}
	return p.err
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
func Dismissed(w io.Writer, s Style, places Places, list []contract.DeadRef) error {
	p := &printer{w: w}
	for _, l := range list {
		p.linef("%s  %s  %s", s.faint("dismissed"), places.Path(l.Source, l.Path), l.Stage)
	}
	return p.err
}

// Outcomes writes one line for each retry; outcomes are in the order of list.
func Outcomes(w io.Writer, s Style, places Places, list []contract.DeadRef, outcomes []contract.DeadOutcome) error {
	p := &printer{w: w}
	for i, l := range list {
		path := places.Path(l.Source, l.Path)
		switch o := outcomes[i]; o.Outcome {
		case contract.RetryDone:
			p.linef("%s       %s", s.good("done"), path)
		case contract.RetryFailed:
			p.linef("%s     %s  %s: %s", s.bad("failed"), path, o.Stage, printable(firstLine(o.Reason)))
		case contract.RetryWaiting:
			p.linef("%s    %s  %s", s.bold("waiting"), path, l.Stage)
		default:
			p.linef("%-9s  %s", o.Outcome, path)
		}
	}
	return p.err
}

// Retrying is the progress line of a retry.
func Retrying(outcomes []contract.DeadOutcome, elapsed time.Duration) string {
	n := map[contract.RetryOutcome]int{}
	for _, o := range outcomes {
		n[o.Outcome]++
	}
	parts := []string{fmt.Sprintf("retrying  %ds  %s", int(elapsed.Seconds()), plural(len(outcomes), "document", "documents"))}
	for _, o := range contract.RetryOutcomes {
		if n[o] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", o, count(n[o])))
		}
	}
	return strings.Join(parts, "  ")
}
