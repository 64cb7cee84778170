package weaviate

import (
	"encoding/json"
	"testing"

	"github.com/weaviate/weaviate/entities/models"
)

// FuzzAnswers reads what a server, a proxy in front of it or something else
// may answer with. Nothing may panic, and an error always says something.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		`{"data":{"Get":{"C":[{"_additional":{"id":"00000000-0000-0000-0000-000000000001","distance":-1.5},"source":"s"}]}}}`,
		`{"data":{"Get":{"C":[null,1,{"_additional":[]},{"_additional":{"id":7}}]}}}`, `{"data":{"Get":null}}`, `{"data":{"Get":[]}}`,
		`{"errors":[{"message":"x"}]}`, `{"errors":[null]}`, `{"error":[{"message":"x"},null]}`, `{"message":"x"}`, `<html>`, ``,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if words(body).Error() == "" {
			t.Errorf("%q is an error without words", body)
		}
		var answer models.GraphQLResponse
		if json.Unmarshal([]byte(body), &answer) != nil {
			return
		}
		if err := wrong(&answer); (err != nil) != (len(answer.Errors) > 0) {
			t.Errorf("%q: %v", body, err)
		}
		classes, _ := answer.Data["Get"].(map[string]any)
		list, _ := classes["C"].([]any)
		for _, o := range list {
			r, _ := o.(map[string]any)
			if h, err := row(r).hit(); err == nil && h.ID.String() == "" {
				t.Errorf("%v is a hit without an id", o)
			}
		}
	})
}
