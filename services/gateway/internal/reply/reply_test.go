package reply

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEveryKindOfError_HasAStatus(t *testing.T) {
	for _, kind := range document.ErrorKinds {
		err := document.Errorf(kind, "x")
		err.RetryAfter = 1500 * time.Millisecond
		w := httptest.NewRecorder()
		Error(w, err)
		if w.Code < 400 || http.StatusText(w.Code) == "" {
			t.Errorf("%s has the status %d", kind, w.Code)
		}
		if got := w.Header().Get("Retry-After"); got != "2" {
			t.Errorf("%s: again after %q, want whole seconds that are not too few", kind, got)
		}
	}
	if len(codes) != len(document.ErrorKinds) {
		t.Errorf("%d kinds have a status, there are %d", len(codes), len(document.ErrorKinds))
	}
}
