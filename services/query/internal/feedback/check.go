package feedback

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// maxRank is the most hits that a search gives.
	maxRank = 1000
	// maxEvent keeps an event in one message of the log, and a page of them
	// below what a NATS server lets through.
	maxEvent = 128 << 10
)

func wrong(format string, args ...any) error {
	return document.Errorf(document.InvalidRequest, format, args...)
}

// check names the first field that cannot be as it is, and what would be right.
func check(in *contract.Feedback) error {
	if !slices.Contains(contract.FeedbackKinds, in.Kind) {
		return wrong("kind is %q: use shown, opened, up or down", in.Kind)
	}
	switch {
	case strings.TrimSpace(in.Query) == "":
		return wrong("query is empty: give the question as it was asked")
	case !utf8.ValidString(in.Query):
		return wrong("query is not valid UTF-8: send it as UTF-8")
	case len(in.Hits) == 0 && in.Kind != contract.FeedbackShown:
		return wrong("hits is empty: name what was %s, as the answer has it", done(in.Kind))
	case in.Token.IsZero() && len(in.Hits) > 0:
		return wrong("token is empty: give that of the answer")
	}
	if in.Hits == nil {
		in.Hits = []contract.FeedbackHit{} // as the schema has it
	}
	for name, text := range map[string]string{"session": in.Session, "by": in.By} {
		if !utf8.ValidString(text) {
			return wrong("%s is not valid UTF-8: send it as UTF-8", name)
		}
	}
	for i := range in.Hits {
		if err := checkHit(fmt.Sprintf("hits[%d]", i), &in.Hits[i]); err != nil {
			return err
		}
	}
	return nil
}

func done(k contract.FeedbackKind) string {
	if k == contract.FeedbackOpened {
		return "opened"
	}
	return "judged"
}

func checkHit(at string, h *contract.FeedbackHit) error {
	if _, err := document.ParseSource(string(h.Source)); err != nil {
		return wrong("%s.source: %w", at, err)
	}
	if err := document.CheckPath(h.Path); err != nil {
		return wrong("%s.path: %w", at, err)
	}
	switch {
	case h.StartLine < 0 || h.StartLine == 0 && h.EndLine != 0:
		return wrong("%s.start_line is %d: lines count from 1; leave both out for the whole document", at, h.StartLine)
	case h.EndLine < h.StartLine:
		return wrong("%s.end_line is %d, before start_line %d: give the last line of the hit", at, h.EndLine, h.StartLine)
	case h.Rank < 0 || h.Rank > maxRank:
		return wrong("%s.rank is %d: use 1 to %d, or leave it out for what was not in the answer", at, h.Rank, maxRank)
	}
	return nil
}
