package embedtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Secret is the key that the server asks for.
const Secret = "k-0815-secret"

// Asked is one request.
type Asked struct {
	Path  string // with what stands behind the question mark
	Key   string // the header that brought it, "" for none
	Model string
	Dims  int // 0 where none were asked for
	Query bool
	Texts []string
}

// Server answers requests. Its fields are set before it is asked, or under Change.
type Server struct {
	// Dims is the length of the model's vectors.
	Dims int
	// Salt is another model where it is another text.
	Salt string
	// MostInputs and MostWords are refused above; 0 for no limit.
	MostInputs, MostWords int
	// Fault, where it returns true, has answered.
	Fault func(w http.ResponseWriter, a Asked) bool
	// Refused are words of which a text is refused.
	Refused []string
	// Spoilt are words of which a text's vector has a value that is none.
	Spoilt []string
	// Header is sent with each answer.
	Header http.Header

	mu    sync.Mutex
	asked []Asked
	url   string
}

// Start starts a server that ends with the test.
func Start(t testing.TB, dims int) *Server {
	t.Helper()
	s := &Server{Dims: dims}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// URL is the server's, without a path.
func (s *Server) URL() string { return s.url }

// Change changes the server between two requests.
func (s *Server) Change(fn func(*Server)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn(s)
}

// Asked lists the requests so far.
func (s *Server) Asked() []Asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Times says how often each text was answered, questions left out.
func (s *Server) Times() map[string]int {
	out := map[string]int{}
	for _, a := range s.Asked() {
		for _, text := range a.Texts {
			if !a.Query {
				out[text]++
			}
		}
	}
	return out
}

// formats are those that are spoken, by the end of the path.
var formats = map[string]func(*Server, http.ResponseWriter, Asked, map[string]json.RawMessage){
	"/embeddings": (*Server).openAI,
	"/v2/embed":   (*Server).cohere,
	"/api/embed":  (*Server).ollama,
	"/tei/embed":  (*Server).tei,
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := Asked{Path: r.URL.String()}
	if key := r.Header.Get("Authorization"); key == "Bearer "+Secret {
		a.Key = "Authorization"
	} else if r.Header.Get("api-key") == Secret {
		a.Key = "api-key"
	}
	var body map[string]json.RawMessage
	if r.Method != http.MethodPost || json.Unmarshal(raw, &body) != nil {
		says(w, http.StatusBadRequest, `{"error": {"message": "no JSON"}}`)
		return
	}
	read(body, "model", &a.Model)
	maps.Copy(w.Header(), s.Header)
	for end, format := range formats {
		if strings.HasSuffix(r.URL.Path, end) {
			format(s, w, a, body)
			return
		}
	}
	http.NotFound(w, r)
}

// read takes a field of a body.
func read(body map[string]json.RawMessage, name string, into any) {
	if raw, ok := body[name]; ok {
		_ = json.Unmarshal(raw, into)
	}
}

func says(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// note keeps a request, and reports whether it is to be answered with vectors.
func (s *Server) note(w http.ResponseWriter, a Asked, refuse func(http.ResponseWriter, string)) bool {
	if s.Fault != nil && s.Fault(w, a) {
		return false
	}
	if s.MostInputs > 0 && len(a.Texts) > s.MostInputs {
		refuse(w, fmt.Sprintf("batch size %d > maximum allowed batch size %d", len(a.Texts), s.MostInputs))
		return false
	}
	for _, text := range a.Texts {
		if n := len(strings.Fields(text)); s.MostWords > 0 && n > s.MostWords {
			refuse(w, fmt.Sprintf("This model's maximum context length is %d tokens, however you requested %d tokens.", s.MostWords, n))
			return false
		}
		if slices.ContainsFunc(s.Refused, func(word string) bool { return strings.Contains(text, word) }) {
			refuse(w, "'$.input' is invalid.")
			return false
		}
	}
	s.asked = append(s.asked, a)
	return true
}

// Vector is what a text comes to: its words, each at its place.
func (s *Server) Vector(text string, dims int) []float32 {
	if dims == 0 {
		dims = s.Dims
	}
	out := make([]float32, dims)
	out[0] = .01 // no text is without a direction
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r < '0' || r > 'z' || r > '9' && r < 'a' }) {
		h := fnv.New64a()
		_, _ = io.WriteString(h, s.Salt+word)
		sum := h.Sum64()
		out[sum%uint64(dims)] += 1 - 2*float32(sum>>63)
	}
	return out
}

// list is a vector as JSON has it.
func (s *Server) list(text string, dims int) string {
	var b bytes.Buffer
	b.WriteByte('[')
	spoilt := slices.ContainsFunc(s.Spoilt, func(word string) bool { return strings.Contains(text, word) })
	for i, x := range s.Vector(text, dims) {
		if i > 0 {
			b.WriteByte(',')
		}
		if spoilt && i == 1 {
			b.WriteString("null")
			continue
		}
		fmt.Fprintf(&b, "%g", x)
	}
	b.WriteByte(']')
	return b.String()
}

// words are the tokens of this server.
func words(texts []string) (n int) {
	for _, text := range texts {
		n += len(strings.Fields(text))
	}
	return n
}
