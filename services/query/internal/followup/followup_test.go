package followup_test

import (
	"testing"

	"github.com/freshet-dev/freshet/services/query/internal/followup"
)

func TestQuestionPointsBack_IsCompletedFromWhatWasSaid(t *testing.T) {
	user := func(text string) followup.Turn { return followup.Turn{User: true, Text: text} }
	said := func(text string) followup.Turn { return followup.Turn{Text: text} }
	retries := user("where are failed requests retried with backoff?")
	for _, c := range []struct {
		question string
		before   []followup.Turn
		want     string
	}{
		{"how is it tested?", []followup.Turn{retries}, "how is it tested?\n" + retries.Text},
		{"how is it tested?", []followup.Turn{retries, said("In `Backoff.Next`, called by retryLoop().")}, "how is it tested?\n" + retries.Text + "\nBackoff.Next\nretryLoop"},
		{"and in python?", []followup.Turn{retries, said("In Go."), user("what about java?"), said("No.")}, "and in python?\nwhat about java?\n" + retries.Text},
		{"tests?", []followup.Turn{retries}, "tests?\n" + retries.Text},
		{"how are chunks compressed before storage?", []followup.Turn{retries}, "how are chunks compressed before storage?"},
		{"Backoff.Next", []followup.Turn{retries}, "Backoff.Next"},
		{"how is it tested?", nil, "how is it tested?"},
	} {
		got, completed := followup.Complete(c.question, c.before)
		if got != c.want || completed != (c.want != c.question) {
			t.Errorf("%q: got %q, want %q", c.question, got, c.want)
		}
	}
}
