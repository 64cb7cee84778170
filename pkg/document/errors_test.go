package document_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestErrorKindGetsLost(t *testing.T) {
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

func TestCauseCrossesTheWire(t *testing.T) {
	b, err := json.Marshal(document.Errorf(document.NotFound, "no source %q: %w", "x", io.EOF))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"kind":"not_found","message":"no source \"x\": EOF"}`; string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
}

func TestErrorKindsAreNotClosed(t *testing.T) {
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
