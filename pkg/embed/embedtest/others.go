package embedtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// lists are the vectors of a request, in its order.
func (s *Server) lists(a Asked) string {
	out := make([]string, len(a.Texts))
	for i, text := range a.Texts {
		out[i] = s.list(text, a.Dims)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// cohere answers POST /v2/embed.
func (s *Server) cohere(w http.ResponseWriter, a Asked, body map[string]json.RawMessage) {
	var kind, truncate string
	var kinds []string
	read(body, "texts", &a.Texts)
	read(body, "output_dimension", &a.Dims)
	read(body, "input_type", &kind)
	read(body, "embedding_types", &kinds)
	read(body, "truncate", &truncate)
	a.Query = kind == "search_query"
	refuse := func(w http.ResponseWriter, why string) {
		says(w, http.StatusBadRequest, fmt.Sprintf(`{"id": "1", "message": %q}`, why))
	}
	switch {
	case a.Key != "Authorization":
		says(w, http.StatusUnauthorized, `{"id": "1", "message": "invalid api token"}`)
	case !a.Query && kind != "search_document" || strings.Join(kinds, ",") != "float" || truncate != "END":
		refuse(w, "invalid request: valid input_type must be provided with the provided model")
	case len(a.Texts) > 96:
		refuse(w, "invalid request: total number of texts must be at most 96")
	case s.note(w, a, refuse):
		says(w, http.StatusOK, fmt.Sprintf(`{"id": "1", "embeddings": {"float": %s}, "texts": [], "meta": {"api_version": {"version": "2"}, "billed_units": {"input_tokens": %d}}, "response_type": "embeddings_by_type"}`, s.lists(a), words(a.Texts)))
	}
}

// ollama answers POST /api/embed.
func (s *Server) ollama(w http.ResponseWriter, a Asked, body map[string]json.RawMessage) {
	read(body, "input", &a.Texts)
	read(body, "dimensions", &a.Dims)
	refuse := func(w http.ResponseWriter, why string) {
		says(w, http.StatusBadRequest, fmt.Sprintf(`{"error": %q}`, why))
	}
	if s.note(w, a, refuse) {
		says(w, http.StatusOK, fmt.Sprintf(`{"model": %q, "embeddings": %s, "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": %d}`, a.Model, s.lists(a), words(a.Texts)))
	}
}

// tei answers POST /embed.
func (s *Server) tei(w http.ResponseWriter, a Asked, body map[string]json.RawMessage) {
	read(body, "inputs", &a.Texts)
	refuse := func(w http.ResponseWriter, why string) {
		says(w, http.StatusUnprocessableEntity, fmt.Sprintf(`{"error": %q, "error_type": "Tokenizer"}`, why))
	}
	if len(a.Texts) > 32 {
		says(w, http.StatusRequestEntityTooLarge, fmt.Sprintf(`{"error": "batch size %d > maximum allowed batch size 32", "error_type": "Validation"}`, len(a.Texts)))
		return
	}
	if s.note(w, a, refuse) {
		says(w, http.StatusOK, s.lists(a))
	}
}
