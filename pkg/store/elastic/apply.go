package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Limits of one _bulk request. Larger ones are no faster and hold more memory
// of the server.
const (
	maxBulkBytes = 4 << 20
	maxBulkItems = 5000
)

// maxToken is the largest token in bytes; the whitespace analyzer would cut a
// longer one.
const maxToken = 255

// maxSymbol is how many bytes of a symbol are kept: the server refuses values
// above 32,766, and a heading that is a whole file is no reason to lose it.
const maxSymbol = 8 << 10

// chunkDoc is a chunk as it is written.
type chunkDoc struct {
	ID       string   `json:"id"`
	Text     string   `json:"text,omitempty"` // absent without tokens: such a chunk is not in the statistics
	Source   string   `json:"source"`
	Doc      string   `json:"doc"`
	Language string   `json:"language"`
	Kind     string   `json:"kind"`
	Dirs     []string `json:"dirs"`
	Path     string   `json:"path"`
	Symbol   string   `json:"symbol"`
}

// Apply implements store.Lexical. Entries with a token that is empty, longer
// than 255 bytes, not UTF-8 or holds white space are refused with
// document.InvalidRequest.
func (s *Store) Apply(ctx context.Context, batch store.LexicalBatch) (store.Result, error) {
	result := store.Result{Put: make([]error, len(batch.Put)), Delete: make([]error, len(batch.Delete))}
	b := bulk{store: s, ctx: ctx}
	b.encoder = json.NewEncoder(&b.body)
	b.encoder.SetEscapeHTML(false)
	if err := s.ready(ctx); err != nil {
		return store.Result{}, err
	}
	for i := range batch.Put {
		e := &batch.Put[i]
		if result.Put[i] = checkTokens(e.Tokens); result.Put[i] != nil {
			continue
		}
		if err := b.put(e, &result.Put[i]); err != nil {
			return store.Result{}, err
		}
	}
	for i, id := range batch.Delete {
		if err := b.remove(id, &result.Delete[i]); err != nil {
			return store.Result{}, err
		}
	}
	if err := b.send(); err != nil {
		return store.Result{}, err
	}
	return result, nil
}

func checkTokens(tokens []string) error {
	for _, t := range tokens {
		switch {
		case t == "" || len(t) > maxToken:
			return document.Errorf(document.InvalidRequest, "a token has %d bytes: tokens have 1 to %d", len(t), maxToken)
		case !utf8.ValidString(t) || strings.ContainsFunc(t, splits):
			return document.Errorf(document.InvalidRequest, "the token %q holds white space or is not UTF-8: Elasticsearch would take it for others", t)
		}
	}
	return nil
}

// bulk gathers operations and sends them in requests of bounded size.
type bulk struct {
	store   *Store
	ctx     context.Context
	body    bytes.Buffer
	encoder *json.Encoder
	results []*error
}

type action struct {
	Create *target `json:"create,omitempty"`
	Delete *target `json:"delete,omitempty"`
}

type target struct {
	ID string `json:"_id"`
}

func (b *bulk) put(e *store.LexicalEntry, result *error) error {
	id := e.ID.String()
	path := string(e.Attrs.Path)
	doc := chunkDoc{
		ID: id, Text: strings.Join(e.Tokens, " "), Source: string(e.Attrs.Source), Doc: string(e.Attrs.Doc),
		Language: e.Attrs.Language, Kind: e.Attrs.Kind, Symbol: beginning(e.Attrs.Symbol, maxSymbol),
		Path: path, Dirs: append(e.Attrs.Path.Ancestors(), path),
	}
	return b.add(result, action{Create: &target{ID: id}}, doc)
}

// beginning returns at most n bytes of s, whole runes.
func beginning(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func (b *bulk) remove(id document.ChunkID, result *error) error {
	return b.add(result, action{Delete: &target{ID: id.String()}})
}

func (b *bulk) add(result *error, lines ...any) error {
	for _, line := range lines {
		if err := b.encoder.Encode(line); err != nil {
			return document.Errorf(document.Internal, "a request to Elasticsearch cannot be encoded: %w", err)
		}
	}
	b.results = append(b.results, result)
	if b.body.Len() < maxBulkBytes && len(b.results) < maxBulkItems {
		return nil
	}
	return b.send()
}

// send writes what was gathered. The operations of an id are done in order.
func (b *bulk) send() error {
	if len(b.results) == 0 {
		return nil
	}
	s, alias := b.store, true
	var answer struct {
		Items []map[string]struct {
			Status int        `json:"status"`
			Error  *errorBody `json:"error"`
		} `json:"items"`
	}
	err := s.call(b.ctx, esapi.BulkRequest{
		Index: s.alias, Body: bytes.NewReader(b.body.Bytes()), RequireAlias: &alias,
		FilterPath: []string{"items.*.status", "items.*.error"},
	}, &answer)
	if err != nil {
		return err
	}
	if len(answer.Items) != len(b.results) {
		return document.Errorf(document.Unavailable, "Elasticsearch at %s answers %d of %d operations: is there a proxy that cuts answers?",
			s.where, len(answer.Items), len(b.results))
	}
	for i, item := range answer.Items {
		for op, done := range item {
			if done.Error == nil || op == "create" && done.Status == http.StatusConflict {
				continue // deleting what is not there has no error
			}
			r := done.Error.refusal(done.Status)
			if r.Status != http.StatusBadRequest || document.KindOf(s.sentence(r)) != document.Internal {
				return s.explain(b.ctx, r) // the index's trouble
			}
			// The chunk's own, unless the mapping is another.
			s.trust.doubt()
			if err := s.ready(b.ctx); err != nil {
				return err
			}
			*b.results[i] = document.Errorf(document.InvalidRequest, "Elasticsearch at %s refuses a chunk: %w", s.where, r)
		}
	}
	b.body.Reset()
	b.results = b.results[:0]
	return nil
}
