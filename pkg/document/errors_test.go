package document_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestWrappedError_KeepsItsKind(t *testing.T) {
	inner := document.Errorf(document.TooLarge, "file %s is too large: %w", "a.go", io.ErrShortBuffer)
	wrapped := fmt.Errorf("read source: %w", inner)
	for _, c := range []struct {
		err  error
		want document.ErrorKind
	}{
		{nil, ""},
		{wrapped, document.TooLarge},
		{fmt.Errorf("search: %w", context.DeadlineExceeded), document.Deadline},
		{io.EOF, document.Internal},
		{document.Errorf(document.Unavailable, "store: %w", context.DeadlineExceeded), document.Unavailable},
	} {
		if got := document.KindOf(c.err); got != c.want {
			t.Errorf("kind of %v is %q, want %q", c.err, got, c.want)
		}
	}
	if !errors.Is(wrapped, io.ErrShortBuffer) {
		t.Error("the cause is lost")
	}
}

func TestCauseOfAnError_CrossesTheWire(t *testing.T) {
	b, err := json.Marshal(document.Errorf(document.NotFound, "no source %q: %w", "x", io.EOF))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"kind":"not_found","message":"no source \"x\": EOF"}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

func TestErrorKinds_AreAClosedList(t *testing.T) {
	seen := map[document.ErrorKind]bool{}
	for _, k := range document.ErrorKinds {
		if seen[k] || k == "" {
			t.Errorf("kind %q stands twice or is empty", k)
		}
		seen[k] = true
	}
	if len(seen) != 13 {
		t.Errorf("there are %d kinds; the list is closed at 13", len(seen))
	}
}

func TestActionOfAnError_SurvivesItsChain(t *testing.T) {
	inner := document.Errorf(document.NotFound, "there is no source").Do(document.DoSourceList)
	outer := document.Errorf(document.NotFound, "nothing to explain: %w", inner).With(document.Action{Do: document.DoSourceAdd, Path: "/src"}, document.Action{Do: document.DoSourceList})
	joined := errors.Join(io.EOF, fmt.Errorf("ask: %w", outer), document.Errorf(document.Conflict, "busy").Do(document.DoStatusShow))
	want := []document.Action{{Do: document.DoSourceAdd, Path: "/src"}, {Do: document.DoSourceList}, {Do: document.DoStatusShow}}
	if got := document.ActionsOf(joined); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if told := document.Told(joined); told.Kind != document.NotFound || told.Message != joined.Error() || !slices.Equal(told.Actions, want) {
		t.Errorf("told as %+v", told)
	}
	if got := document.ActionsOf(io.EOF); got != nil {
		t.Errorf("an error that nobody typed has the actions %v", got)
	}
	if got, want := document.Coded(outer), "nothing to explain: there is no source [source_add path=/src, source_list]"; got != want {
		t.Errorf("logged as %q, want %q", got, want)
	}
}

func TestActionKinds_AreAClosedList(t *testing.T) {
	seen := map[document.ActionKind]bool{}
	for _, k := range document.ActionKinds {
		if seen[k] || k == "" {
			t.Errorf("the action %q stands twice or is empty", k)
		}
		seen[k] = true
	}
}
