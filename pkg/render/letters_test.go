package render_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// unplaced prints every path as source:path.
var unplaced = render.Places{}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func letters() []contract.DeadLetter {
	return []contract.DeadLetter{
		{Source: "api", Path: "a.go", Stage: contract.StageChunker, State: contract.LetterFailed, Kind: contract.FailureKilled,
			Reason: "4 workers ended\nand more \x1b[31m", Attempts: 4, FailedAt: noon.Add(-3 * time.Minute), Newest: true,
			Versions: map[document.View]document.Version{document.Worktree: 7}},
		{Source: "mirror", Path: "README.md", Stage: contract.StageLexical, State: contract.LetterDismissed, Reason: "refused", Attempts: 1, Newest: true},
		{Source: "api", Path: "b.go", Stage: contract.StageEmbed, State: contract.LetterFailed, Reason: "cannot be embedded", Attempts: 8, FailedAt: noon.Add(-50 * time.Hour)},
	}
}

func TestLetters_AreShownInColumns(t *testing.T) {
	var b bytes.Buffer
	if err := render.Letters(&b, terminal.Style{}, unplaced, letters(), noon); err != nil {
		t.Fatal(err)
	}
	want := "api:a.go          chunker          3m ago  4 attempts  4 workers ended …\n" +
		"mirror:README.md  indexer-lexical  -       1 attempt   dismissed: refused\n" +
		"api:b.go          embedder         2d ago  8 attempts  a newer version is on its way: cannot be embedded\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Whoever looks at a letter learns what to do.
func TestLetter_SaysWhatToDoNext(t *testing.T) {
	retrying := letters()[0]
	retrying.State = contract.LetterRetrying
	refused := letters()[0]
	refused.Kind = contract.FailureRefused
	tries := letters()[0]
	tries.Kind = contract.FailureTries
	for want, letter := range map[string]contract.DeadLetter{
		"report it with the file":                              letters()[0],
		"nothing; its next version is tried as ever":           letters()[1],
		"wait: a newer version":                                letters()[2],
		"wait: the stage chunker handles it again":             retrying,
		"change the file, which tries it by itself":            refused,
		"mend what the reason names, then `freshet dlq retry ": tries,
	} {
		var b bytes.Buffer
		detail := contract.DeadDetail{DeadLetter: letter, InputSubject: "freshet.files.x", InputSeq: 7, Now: map[document.View]document.Version{document.Worktree: 9}}
		if err := render.LetterDetails(&b, terminal.Style{}, unplaced, []contract.DeadDetail{detail}, noon); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "next      "+want) || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%q is missing in\n%s", want, b.String())
		}
	}
}

func TestOutcomeOfARetry_IsShown(t *testing.T) {
	refs := []contract.DeadRef{{Source: "api", Path: "a.go", Stage: contract.StageChunker}, {Source: "api", Path: "b.go", Stage: contract.StageEmbed},
		{Source: "api", Path: "c.go"}, {Source: "api", Path: "d.go"}, {Source: "api", Path: "e.go"}}
	outcomes := []contract.DeadOutcome{{Outcome: contract.RetryDone}, {Outcome: contract.RetryWaiting},
		{Outcome: contract.RetryFailed, Stage: contract.StageLexical, Reason: "again\nat length"}, {Outcome: contract.RetryIndexing}, {Outcome: contract.RetryDismissed}}
	var b bytes.Buffer
	if err := render.Outcomes(&b, terminal.Style{}, unplaced, refs, outcomes); err != nil {
		t.Fatal(err)
	}
	want := "done       api:a.go\nwaiting    api:b.go  embedder\nfailed     api:c.go  indexer-lexical: again …\nindexing   api:d.go\ndismissed  api:e.go\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	if got := render.Retrying(outcomes, 3*time.Second); got != "retrying  3s  5 documents  waiting 1  indexing 1  done 1  failed 1  dismissed 1" {
		t.Errorf("the progress line is %q", got)
	}
}
