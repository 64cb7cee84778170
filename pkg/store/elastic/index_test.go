//go:build servers

package elastic_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
)

// passage is a chunk with a few words.
func passage(n int) store.LexicalEntry {
	path := document.Path(fmt.Sprintf("a/%d.go", n))
	return store.LexicalEntry{
		ID: document.NewChunkID("s", path, "d", 0, 1), Tokens: []string{"word", fmt.Sprintf("w%d", n)},
		Attrs: store.Attrs{Source: "s", Doc: document.DocOf(path), Path: path},
	}
}

var word = []store.Term{{Token: "word", Weight: 1}}

// created is a new store with one passage, and its alias.
func created(t *testing.T) (*elastic.Store, string) {
	t.Helper()
	s, name := remote(t)
	fill(t, s, []store.LexicalEntry{passage(0)})
	return s, name
}

// everyCall runs every method but Mark, SetMark and Drop, and returns their errors.
func everyCall(ctx context.Context, s *elastic.Store) map[string]error {
	errs := map[string]error{"Refresh": s.Refresh(ctx)}
	_, errs["Apply"] = s.Apply(ctx, store.LexicalBatch{Put: []store.LexicalEntry{passage(1)}, Delete: []document.ChunkID{passage(2).ID}})
	_, errs["Search"] = s.Search(ctx, word, store.Filter{}, 10)
	_, errs["Counts"] = s.Counts(ctx, []string{"word"})
	_, errs["Count"] = s.Count(ctx)
	for name, scope := range map[string]store.Scope{"IDs": {}, "IDs of a document": {Source: "s", Doc: document.DocOf("a/0.go")}} {
		for _, err := range s.IDs(ctx, scope) {
			errs[name] = errors.Join(errs[name], err)
		}
	}
	return errs
}

// says checks that an error has a kind and is one sentence with all words.
func says(t *testing.T, err error, kind document.ErrorKind, words ...string) {
	t.Helper()
	if document.KindOf(err) != kind {
		t.Errorf("the error is of the kind %q, want %q: %v", document.KindOf(err), kind, err)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not name %q: %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has several lines: %v", err)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// marked expects a mark.
func marked(t *testing.T, s *elastic.Store, want store.Mark) {
	t.Helper()
	if m, err := s.Mark(t.Context()); err != nil || m != want {
		t.Fatalf("the mark is %+v, %v, want %+v", m, err, want)
	}
}

func TestAnIndexChangedByHand_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, body string // %s: index; %[2]s: alias
		says               []string
	}{
		"refresh interval": {http.MethodPut, "/%s/_settings", `{"index.refresh_interval":"1s"}`, []string{"index.refresh_interval = 1s instead of -1"}},
		"durability":       {http.MethodPut, "/%s/_settings", `{"index.translog.durability":"async"}`, []string{"index.translog.durability = async"}},
		"hits":             {http.MethodPut, "/%s/_settings", `{"index.max_result_window":10}`, []string{"index.max_result_window = 10"}},
		"dynamic":          {http.MethodPut, "/%s/_mapping", `{"dynamic":true}`, []string{"dynamic"}},
		"field":            {http.MethodPut, "/%s/_mapping", `{"properties":{"text":{"type":"text","analyzer":"whitespace","search_analyzer":"standard","similarity":"freshet_bm25","index_options":"freqs"}}}`, []string{"field text", "standard"}},
		"format":           {http.MethodPut, "/%s/_mapping", `{"_meta":{"freshet":{"format":2}}}`, []string{"_meta"}},
		"filter":           {http.MethodPost, "/_aliases", `{"actions":[{"add":{"index":"%s","alias":"%[2]s","filter":{"term":{"source":"s"}}}}]}`, []string{"filter or routing"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, alias := created(t)
			index := alias + "-000001"
			fillIn := func(text string) string {
				if strings.Contains(text, "%[2]s") {
					return fmt.Sprintf(text, index, alias)
				}
				return strings.ReplaceAll(text, "%s", index)
			}
			must(t, c.method, fillIn(c.path), fillIn(c.body))
			_, err := s.Mark(t.Context())
			says(t, err, document.IdentityMismatch, append(c.says, index, "delete the index")...)
			for _, err := range everyCall(t.Context(), s) {
				says(t, err, document.IdentityMismatch, append(c.says, index)...)
			}
		})
	}
}

// remake deletes an index and makes it again from its own description, with
// a text of that exchanged.
func remake(t *testing.T, alias, from, to string) {
	t.Helper()
	index := alias + "-000001"
	description, ok := must(t, http.MethodGet, "/"+index, "")[index].(map[string]any)
	if !ok {
		t.Fatal("the index is not described")
	}
	settings := description["settings"].(map[string]any)["index"].(map[string]any)
	for _, key := range []string{"uuid", "creation_date", "provided_name", "version", "routing"} {
		delete(settings, key)
	}
	body, err := json.Marshal(description)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(body), from) {
		t.Fatalf("%s does not stand in %s", from, body)
	}
	must(t, http.MethodDelete, "/"+index, "")
	must(t, http.MethodPut, "/"+index, strings.Replace(string(body), from, to, 1))
}

func TestAFieldMappedByHand_IsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		from, to string
		says     []string
	}{
		"analyzer":   {`"analyzer":"whitespace"`, `"analyzer":"standard"`, []string{"field text", `"analyzer":"standard"`, `"analyzer":"whitespace"`}},
		"similarity": {`"k1":"1.5"`, `"k1":"1.2"`, []string{"k1 = 1.2 instead of 1.5"}},
		"type":       {`"symbol":{"index":false,"type":"keyword"}`, `"symbol":{"type":"text"}`, []string{"field symbol"}},
		"absent":     {`"kind":{"type":"keyword"},`, ``, []string{"field kind", "null"}},
		"source":     {`"_source":{"includes":["mark"]},`, ``, []string{"_source"}},
		"analysis": {`"max_result_window"`, `"analysis":{"analyzer":{"whitespace":{"type":"custom","tokenizer":"standard"}}},"max_result_window"`,
			[]string{"index.analysis.analyzer.whitespace"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, alias := created(t)
			remake(t, alias, c.from, c.to)
			for _, s := range []*elastic.Store{s, again(t, alias)} {
				_, err := s.Mark(t.Context())
				says(t, err, document.IdentityMismatch, append(c.says, alias, "delete the index")...)
				says(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.IdentityMismatch, c.says...)
				_, err = s.Search(t.Context(), word, store.Filter{}, 10)
				says(t, err, document.IdentityMismatch, c.says...)
			}
		})
	}
}

// again is another store of the same name, as of another process.
func again(t *testing.T, alias string) *elastic.Store {
	t.Helper()
	cfg := config(t, "")
	cfg.Name = strings.TrimPrefix(alias, cfg.Prefix+"-")
	return openWith(t, cfg)
}

func TestADeletedIndex_StaysGoneUntilItIsCreatedAgain(t *testing.T) {
	s, alias := created(t)
	if err := s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 7}); err != nil {
		t.Fatal(err)
	}
	must(t, http.MethodDelete, "/"+alias+"-000001", "")
	for _, s := range []*elastic.Store{s, again(t, alias)} {
		for _, err := range everyCall(t.Context(), s) {
			says(t, err, document.Unavailable, alias, "the indexer creates it")
		}
		says(t, s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 8}), document.Unavailable, alias)
		if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{}) {
			t.Errorf("the mark is %+v, %v", m, err)
		}
		says(t, s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 8}), document.Unavailable, alias)
	}
	if status, answer := raw(t, http.MethodGet, "/"+alias+"*", ""); status != http.StatusOK || len(answer) != 0 {
		t.Fatalf("there is an index again: %v", answer)
	}
	if err := s.SetMark(t.Context(), store.Mark{ID: "second"}); err != nil {
		t.Fatal(err)
	}
	for call, err := range everyCall(t.Context(), s) {
		if err != nil {
			t.Errorf("%s in the index created again: %v", call, err)
		}
	}
}

func TestAMarkOfADeletedIndex_IsNotWrittenIntoTheNext(t *testing.T) {
	s, alias := created(t)
	if err := s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 7}); err != nil {
		t.Fatal(err)
	}
	must(t, http.MethodDelete, "/"+alias+"-000001", "")
	if err := again(t, alias).SetMark(t.Context(), store.Mark{ID: "other"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		says(t, s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 8}), document.Unavailable, alias, "read the mark")
	}
	if m, err := s.Mark(t.Context()); err != nil || m.ID != "other" {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
}

func TestAMarkOfAnotherProcess_IsNotOverwritten(t *testing.T) {
	s, alias := created(t)
	other := again(t, alias)
	if m, err := other.Mark(t.Context()); err != nil || m.ID != "corpus" {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
	if err := s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 3}); err != nil {
		t.Fatal(err)
	}
	if err := other.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 4}); err != nil {
		t.Fatalf("two that fill the same store are in each other's way: %v", err)
	}
	if err := other.SetMark(t.Context(), store.Mark{ID: "theirs", Position: 5}); err != nil {
		t.Fatal(err)
	}
	says(t, s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 6}), document.Conflict, alias, "read it again")
	if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{ID: "theirs", Position: 5}) {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
	if err := s.SetMark(t.Context(), store.Mark{ID: "corpus", Position: 6}); err != nil {
		t.Fatalf("a mark that was read cannot be replaced: %v", err)
	}
}

func TestSeveralCreatorsAtOnce_MakeOneIndex(t *testing.T) {
	_, alias := created(t)
	must(t, http.MethodDelete, "/"+alias+"-000001", "")
	var group sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 8 {
		s := again(t, alias)
		group.Go(func() {
			mine := store.Mark{ID: fmt.Sprint(i)}
			err := s.SetMark(t.Context(), mine)
			for document.KindOf(err) == document.Unavailable {
				// The index of another creator is listed before its shard is there.
				there, unread := s.Mark(t.Context())
				switch {
				case unread != nil:
					err = unread
				case there.ID != "" && there != mine:
					return // another one's
				default:
					err = s.SetMark(t.Context(), mine)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			switch document.KindOf(err) {
			case "":
				won++
			case document.Conflict:
			default:
				t.Errorf("creator %d: %v", i, err)
			}
		})
	}
	group.Wait()
	if won != 1 {
		t.Errorf("%d of 8 creators have their mark in the index", won)
	}
	if _, answer := raw(t, http.MethodGet, "/"+alias, ""); len(answer) != 1 {
		t.Errorf("there are %d indexes", len(answer))
	}
}

func TestAnAliasOnTwoIndexes_IsRefused(t *testing.T) {
	s, alias := created(t)
	second := alias + "-000002"
	must(t, http.MethodPut, "/"+second, `{"aliases":{"`+alias+`":{}}}`)
	t.Cleanup(func() { raw(t, http.MethodDelete, "/"+second, "") })
	_, err := s.Mark(t.Context())
	says(t, err, document.IdentityMismatch, alias+"-000001 and "+second, "leave it on one")
	for _, err := range everyCall(t.Context(), s) {
		says(t, err, document.IdentityMismatch, second)
	}
	must(t, http.MethodDelete, "/"+second, "")
	if err := everyCall(t.Context(), s)["Search"]; err != nil {
		t.Fatalf("with one index left: %v", err)
	}
}

func TestAnIndexInPlaceOfTheAlias_IsRefused(t *testing.T) {
	s, alias := created(t)
	must(t, http.MethodDelete, "/"+alias+"-000001", "")
	must(t, http.MethodPut, "/"+alias+"/_doc/1", `{"guessed":"mapping"}`)
	t.Cleanup(func() { raw(t, http.MethodDelete, "/"+alias, "") })
	says(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.IdentityMismatch, alias, "is an index where freshet has an alias", "delete it")
	_, err := s.Mark(t.Context())
	says(t, err, document.IdentityMismatch, alias, "is an index where freshet has an alias", "delete it")
	for _, err := range everyCall(t.Context(), s) {
		says(t, err, document.IdentityMismatch, alias)
	}
}

func TestAnIndexWithoutItsAlias_IsRefused(t *testing.T) {
	s, alias := created(t)
	must(t, http.MethodDelete, "/"+alias+"-000001/_alias/"+alias, "")
	t.Cleanup(func() { raw(t, http.MethodDelete, "/"+alias+"-000001", "") })
	for _, err := range everyCall(t.Context(), s) {
		says(t, err, document.Unavailable, alias)
	}
	if _, err := s.Mark(t.Context()); err != nil {
		t.Fatal(err)
	}
	says(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.IdentityMismatch, "lost its alias", "give it back")
}

func TestAClosedOrBlockedIndex_IsToldWithItsFix(t *testing.T) {
	s, alias := created(t)
	must(t, http.MethodPost, "/"+alias+"-000001/_close", "")
	for _, err := range everyCall(t.Context(), s) {
		says(t, err, document.Unavailable, alias, "is closed", "_open")
	}
	must(t, http.MethodPost, "/"+alias+"-000001/_open", "")
	must(t, http.MethodPut, "/"+alias+"-000001/_settings", `{"index.blocks.read_only_allow_delete":true}`)
	says(t, everyCall(t.Context(), s)["Apply"], document.Unavailable, alias, "is blocked", "disk space")
	must(t, http.MethodPut, "/"+alias+"-000001/_settings", `{"index.blocks.read_only_allow_delete":null}`)
	for call, err := range everyCall(t.Context(), s) {
		if err != nil {
			t.Errorf("%s after the block: %v", call, err)
		}
	}
}
