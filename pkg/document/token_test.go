package document_test

import (
	"encoding/json"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "1.1", "0.1", "1.0", "1", "1.", ".1", "1.1.1", "-1.1", "+1.1", "18446744073709551615.18446744073709551615", "18446744073709551616.1", "01.1", " 1.1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		token, err := document.ParseToken(s)
		if err != nil {
			if document.KindOf(err) != document.InvalidRequest {
				t.Errorf("%q: kind %s, want invalid_request", s, document.KindOf(err))
			}
			return
		}
		if token.IsZero() {
			t.Errorf("%q is read as no token", s)
		}
		again, err := document.ParseToken(token.String())
		if err != nil || again != token {
			t.Errorf("%q comes back as %v, %v", s, again, err)
		}
	})
}

func TestZeroToken_IsEmptyJSON(t *testing.T) {
	b, err := json.Marshal(map[string]document.Token{"t": {}})
	if err != nil || string(b) != `{"t":""}` {
		t.Fatalf("%s, %v", b, err)
	}
	var back map[string]document.Token
	if err := json.Unmarshal(b, &back); err != nil || !back["t"].IsZero() {
		t.Fatalf("%v, %v", back, err)
	}
	var token document.Token
	if err := json.Unmarshal([]byte(`"soon"`), &token); err == nil {
		t.Error("a broken token was accepted")
	}
}
