package contract_test

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// requests are the bodies that a client sends.
func requests() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for name, typ := range bodies {
		if strings.HasSuffix(name, "-request") ||
			slices.Contains([]string{"dead-change", "source-add", "source-remove", "explain-file", "explain-query", "feedback"}, name) {
			out[name] = typ
		}
	}
	return out
}

// A list or text without a bound takes as long as somebody wants it to.
func TestEveryFieldOfARequest_HasALimit(t *testing.T) {
	for name, typ := range requests() {
		if err := contract.Limited(typ); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, open := range []reflect.Type{
		reflect.TypeFor[struct {
			Names []string `json:"names"`
		}](),
		reflect.TypeFor[struct {
			Names []string `json:"names" limit:"3"`
		}](),
		reflect.TypeFor[struct {
			Inner []struct {
				Name string `json:"name"`
			} `json:"inner" limit:"3"`
		}](),
		reflect.TypeFor[struct {
			Body *[]byte `json:"body"`
		}](),
		reflect.TypeFor[struct {
			By map[string]int `json:"by" limit:"3"`
		}](),
	} {
		if err := contract.Limited(open); err == nil {
			t.Errorf("%s passes", open)
		}
	}
}

func TestRequestBeyondItsLimits_IsRefusedByName(t *testing.T) {
	long := func(n int) []string { return slices.Repeat([]string{"go"}, n) }
	for says, in := range map[string]any{
		"filter.languages has 30000 entries: send at most 64":           contract.SearchRequest{Filter: contract.Filter{Languages: long(30_000)}},
		"filter.languages[1] has 65 bytes: shorten it to 64":            contract.SearchRequest{Filter: contract.Filter{Languages: []string{"go", strings.Repeat("x", 65)}}},
		"query has 65537 bytes: shorten it to 65536":                    contract.SearchRequest{Query: strings.Repeat("x", 65537)},
		"search.off has 65 entries: send at most 64":                    contract.ExplainQuery{Search: &contract.SearchRequest{Off: long(65)}},
		"documents[0].path has 65537 bytes: shorten it to 65536":        contract.DeleteRequest{Documents: []contract.DeleteDocument{{Path: document.Path(strings.Repeat("x", 65537))}}},
		"documents has 1001 entries: send at most 1000":                 contract.PutRequest{Documents: make([]contract.PutDocument, 1001)},
		"lost has 1001 entries: send at most 1000":                      contract.VerifyFilesRequest{Lost: make([]contract.LostDocument, contract.LostAtOnce+1)},
		"documents[0].content has 8388609 bytes: shorten it to 8388608": contract.PutRequest{Documents: []contract.PutDocument{{Content: make([]byte, 8<<20+1)}}},
		"a key of letters[0].versions has 1025 bytes":                   contract.DeadOutcomeRequest{Letters: []contract.DeadRef{{Versions: map[document.View]document.Version{document.View(strings.Repeat("x", 1025)): 1}}}},
	} {
		if err := contract.CheckLimits(in); document.KindOf(err) != document.InvalidRequest || !strings.HasPrefix(err.Error(), says) {
			t.Errorf("%v, want %s", err, says)
		}
	}
	if err := contract.CheckLimits(contract.SearchRequest{Query: strings.Repeat("x", 65536), Filter: contract.Filter{Languages: long(64)}}); err != nil {
		t.Errorf("at its limits: %v", err)
	}
}

// Who writes a client reads the schema.
func TestSchema_HasTheLimitsOfTheCode(t *testing.T) {
	r := newResolver(t)
	for name, typ := range requests() {
		r.limits(name, r.docs[name], typ, "", name)
	}
}

func (r *resolver) limits(file string, s map[string]any, typ reflect.Type, tag, at string) {
	r.t.Helper()
	file, s = r.resolve(file, s)
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	own, rest, _ := strings.Cut(tag, ",")
	want := func(key string) {
		r.t.Helper()
		if got, _ := s[key].(interface{ String() string }); own != "" && (got == nil || got.String() != own) {
			r.t.Errorf("%s: the schema's %s is %v, want %s", at, key, s[key], own)
		}
	}
	switch {
	case typ == reflect.TypeFor[[]byte]():
		n, _ := strconv.Atoi(own)
		own = strconv.Itoa((n + 2) / 3 * 4) // in base64
		want("maxLength")
	case text(typ):
	case typ.Kind() == reflect.String && s["enum"] == nil && s["const"] == nil && s["pattern"] == nil:
		want("maxLength")
	case typ.Kind() == reflect.Slice:
		want("maxItems")
		r.limits(file, s["items"].(map[string]any), typ.Elem(), rest, at+"[]")
	case typ.Kind() == reflect.Map:
		want("maxProperties")
	case typ.Kind() == reflect.Struct:
		properties := s["properties"].(map[string]any)
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			r.limits(file, properties[name].(map[string]any), f.Type, f.Tag.Get("limit"), at+"."+name)
		}
	}
}
