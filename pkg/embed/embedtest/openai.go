package embedtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// openAI answers POST /embeddings, in an order of its own.
func (s *Server) openAI(w http.ResponseWriter, a Asked, body map[string]json.RawMessage) {
	if a.Key == "" {
		says(w, http.StatusUnauthorized, `{"error": {"message": "Incorrect API key provided.", "type": "invalid_request_error", "code": "invalid_api_key"}}`)
		return
	}
	read(body, "input", &a.Texts)
	read(body, "dimensions", &a.Dims)
	if _, voyage := body["truncation"]; voyage { // which has the same path
		var kind string
		read(body, "input_type", &kind)
		read(body, "output_dimension", &a.Dims)
		a.Query = kind == "query"
	}
	refuse := func(w http.ResponseWriter, why string) {
		says(w, http.StatusBadRequest, fmt.Sprintf(`{"error": {"message": %q, "type": "invalid_request_error", "param": null, "code": null}}`, why))
	}
	if !s.note(w, a, refuse) {
		return
	}
	data := make([]string, 0, len(a.Texts))
	for i := len(a.Texts) - 1; i >= 0; i-- {
		data = append(data, fmt.Sprintf(`{"object": "embedding", "index": %d, "embedding": %s}`, i, s.list(a.Texts[i], a.Dims)))
	}
	n := words(a.Texts)
	says(w, http.StatusOK, fmt.Sprintf(`{"object": "list", "data": [%s], "model": %q, "usage": {"prompt_tokens": %d, "total_tokens": %d}}`, strings.Join(data, ", "), a.Model, n, n))
}
