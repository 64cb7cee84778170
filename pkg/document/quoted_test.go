package document_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestLongTextInAnError_IsQuotedShort(t *testing.T) {
	long := strings.Repeat("ä", 20_000)
	for name, err := range map[string]error{
		"a string":           document.Errorf(document.InvalidRequest, "the query %q has only filters", long),
		"another kind of it": document.Errorf(document.InvalidRequest, "100 %% of %s: %q", "it", document.Source(long)),
		"by hand":            errors.New("the query " + document.Shorten(long) + " has only filters"),
		"no UTF-8":           document.Errorf(document.InvalidRequest, "%q", strings.Repeat("\xff", 20_000)),
	} {
		if n := utf8.RuneCountInString(err.Error()); n > 400 || !strings.Contains(err.Error(), "…") {
			t.Errorf("%s: %d characters: %.500s", name, n, err)
		}
	}
	for _, short := range []string{"", "short", strings.Repeat("ä", 80)} {
		if err := document.Errorf(document.InvalidRequest, "%q", short); err.Error() != strconv.Quote(short) || strings.Contains(err.Error(), "…") {
			t.Errorf("%q became %s", short, err)
		}
	}
	cause := errors.New("cause")
	if err := document.Errorf(document.Internal, "%q: %w", long, cause); !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}
