package elastic

import (
	"encoding/json"
	"net/http"
	"testing"
)

// FuzzAnswers reads what a server, a proxy in front of it or something else
// may answer with. Nothing may panic, and an error always says something.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"hits":{"hits":[{"fields":{"source":["s"]},"sort":[1.5,"00000000-0000-0000-0000-000000000001"]}]}}`,
		`{"hits":{"hits":[{"sort":[]},{"sort":[1]},{"sort":[1,2,3]},null]}}`, `{"hits":null}`,
		`{"error":{"type":"x","reason":"y","root_cause":[{}],"caused_by":{"caused_by":null}},"status":400}`, `{"error":"no handler"}`, `{"error":[]}`, `<html>`, ``,
	} {
		f.Add(s, http.StatusBadRequest)
	}
	f.Fuzz(func(t *testing.T, body string, status int) {
		if readRefusal(status, []byte(body)).Error() == "" {
			t.Errorf("%q is an error without words", body)
		}
		var found searchAnswer
		if json.Unmarshal([]byte(body), &found) == nil {
			hits, err := found.hits()
			if err == nil && len(hits) != len(found.Hits.Hits) {
				t.Errorf("%q has %d hits", body, len(hits))
			}
		}
		var listed idAnswer
		if json.Unmarshal([]byte(body), &listed) == nil {
			for _, h := range listed.Hits.Hits {
				h.Fields.one(fieldID)
			}
		}
	})
}
