package request

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/store"
)

var limits = Limits{K: 10, MaxK: 1000, Deadline: 2 * time.Second, MaxDeadline: time.Minute,
	Collections: []document.Collection{"code", "docs"}}

func ptr(k int) *int { return &k }

func TestWrongRequest_IsRefusedByName(t *testing.T) {
	cases := map[string]struct {
		in   contract.SearchRequest
		says string
	}{
		"empty query":            {contract.SearchRequest{Query: ""}, "empty"},
		"blank query":            {contract.SearchRequest{Query: " \t\n"}, "empty"},
		"only filters":           {contract.SearchRequest{Query: "lang:go path:pkg/"}, "only filters"},
		"k of 0":                 {contract.SearchRequest{Query: "a", K: ptr(0)}, "k is 0"},
		"k below 0":              {contract.SearchRequest{Query: "a", K: ptr(-3)}, "k is -3"},
		"k of ten million":       {contract.SearchRequest{Query: "a", K: ptr(10_000_000)}, "1 to 1000"},
		"negative deadline":      {contract.SearchRequest{Query: "a", DeadlineMS: -1}, "deadline_ms"},
		"deadline of an hour":    {contract.SearchRequest{Query: "a", DeadlineMS: 3_600_000}, "60000"},
		"overflowing deadline":   {contract.SearchRequest{Query: "a", DeadlineMS: math.MaxInt}, "60000"},
		"negative score":         {contract.SearchRequest{Query: "a", MinScore: -1}, "min_score"},
		"unknown text":           {contract.SearchRequest{Query: "a", Text: "all"}, "none, excerpt or full"},
		"unknown stage":          {contract.SearchRequest{Query: "a", Off: []string{"fuse"}}, "fuse"},
		"no channel left":        {contract.SearchRequest{Query: "a", Off: []string{"vector", "lexical"}}, "at least one"},
		"token without epoch":    {contract.SearchRequest{Query: "a", Token: "12"}, "token"},
		"token of words":         {contract.SearchRequest{Query: "a", Token: "newest"}, "token"},
		"unserved collection":    {contract.SearchRequest{Query: "a", Collections: []document.Collection{"catalog"}}, "code, docs"},
		"source of two words":    {contract.SearchRequest{Query: "a", Filter: contract.Filter{Sources: []document.Source{"a b"}}}, "slug"},
		"inline source":          {contract.SearchRequest{Query: "a source:A!"}, "slug"},
		"absolute path":          {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{"/etc"}}}, "absolute"},
		"path out of the source": {contract.SearchRequest{Query: "a path:../x"}, "leaves"},
		"open bracket":           {contract.SearchRequest{Query: "a path:pkg/[a-"}, "malformed glob"},
		"open brace":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{"**/{a,b"}}}, "malformed glob"},
		"empty path":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{""}}}, "empty"},
		"empty language":         {contract.SearchRequest{Query: "a", Filter: contract.Filter{Languages: []string{" "}}}, "empty"},
		"unknown language":       {contract.SearchRequest{Query: "a lang:pyton"}, "did you mean \"python\"?"},
		"no such language":       {contract.SearchRequest{Query: "a", Filter: contract.Filter{Languages: []string{"brainstorming"}}}, "a hit has its own"},
		"unknown kind":           {contract.SearchRequest{Query: "a kind:functoin"}, "did you mean \"function\"?"},
		"unknown language left":  {contract.SearchRequest{Query: "a -lang:pyton"}, "did you mean \"python\"?"},
		"unknown kind left":      {contract.SearchRequest{Query: "a NOT kind:functoin"}, "did you mean \"function\"?"},
		"open bracket left":      {contract.SearchRequest{Query: "a -path:pkg/[a-"}, "malformed glob"},
		"source left":            {contract.SearchRequest{Query: "a -source:A!"}, "slug"},
		"nothing but what goes":  {contract.SearchRequest{Query: "-old -\"very old\""}, "what to leave out"},
		"no such kind":           {contract.SearchRequest{Query: "a kind:paragraphs"}, "choose from function, method"},
		"empty view":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Views: []document.View{""}}}, "empty"},
		"invalid UTF-8":          {contract.SearchRequest{Query: "a\xff"}, "UTF-8"},
		"empty variant":          {contract.SearchRequest{Query: "a", Variants: []string{"b", " "}}, "empty"},
		"variant with a filter":  {contract.SearchRequest{Query: "a", Variants: []string{"b lang:go"}}, "filters stand in the query"},
		"variant in Latin-1":     {contract.SearchRequest{Query: "a", Variants: []string{"b\xff"}}, "UTF-8"},
		"too many variants":      {contract.SearchRequest{Query: "a", Variants: slices.Repeat([]string{"b"}, 9)}, "variants has 9 entries"},
		"too many languages":     {contract.SearchRequest{Query: "a", Filter: contract.Filter{Languages: slices.Repeat([]string{"go"}, 30_000)}}, "filter.languages has 30000 entries"},
		"too many in the query":  {contract.SearchRequest{Query: "a " + strings.Repeat("lang:go ", 65)}, "filter.languages has 65 entries"},
		"a pasted file":          {contract.SearchRequest{Query: strings.Repeat("word ", 14_000)}, "shorten"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.in, limits)
			if document.KindOf(err) != document.InvalidRequest {
				t.Fatalf("error %v, want an invalid_request", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%q does not say %q", err, c.says)
			}
		})
	}
}

// What the index calls bash, protobuf and ruby is found by what people type,
// whether the chunker has seen the document or only its path is known.
func TestFilter_KnowsALanguageByAllItsNames(t *testing.T) {
	for word, path := range map[string]document.Path{"sh": "run.sh", "proto": "a.proto", "rb": "a.rb", "docker": "Dockerfile", "make": "Makefile", "h": "a.h", "TS": "a.tsx"} {
		r, err := Parse(contract.SearchRequest{Query: "a lang:" + word}, limits)
		if err != nil {
			t.Fatal(err)
		}
		settled := store.Attrs{Path: path, Language: language.Detect(path, nil)}
		if pending := (store.Attrs{Path: path}); !r.Keep(&pending) || !r.Keep(&settled) {
			t.Errorf("lang:%s, which is %v, keeps %s: pending %v, settled %v", word, r.Languages, path, r.Keep(&pending), r.Keep(&settled))
		}
		if other := (store.Attrs{Path: "a.go"}); r.Keep(&other) {
			t.Errorf("lang:%s keeps Go", word)
		}
	}
}

func TestRequestWithoutSettings_HasTheDefaults(t *testing.T) {
	r, err := Parse(contract.SearchRequest{Query: "parse"}, limits)
	if err != nil {
		t.Fatal(err)
	}
	if r.K != 10 || r.Deadline != 2*time.Second || r.Show != contract.TextExcerpt || len(r.Collections) != 2 || r.WantsToken() {
		t.Fatalf("%+v", r)
	}
}

// An error is read by people, and stands in logs.
func TestErrorAboutALongQuestion_StaysShort(t *testing.T) {
	long := strings.Repeat("long", 4000)
	for name, in := range map[string]contract.SearchRequest{
		"filters alone": {Query: "path:" + long},
		"a path":        {Query: "x", Filter: contract.Filter{Paths: []string{"/" + long}}},
		"a glob":        {Query: "x", Filter: contract.Filter{Paths: []string{"[" + long}}},
		"a source":      {Query: "x", Filter: contract.Filter{Sources: []document.Source{document.Source("/" + long)}}},
		"a token":       {Query: "x", Token: long},
		"a commit":      {Query: "x", Commit: long},
		"a mode":        {Query: "x", Text: long},
		"a stage":       {Query: "x", Off: []string{long}},
		"a collection":  {Query: "x", Collections: []document.Collection{document.Collection(long)}},
	} {
		_, err := Parse(in, Limits{K: 10, MaxK: 1000, Deadline: time.Second, MaxDeadline: time.Minute})
		if err == nil || len(err.Error()) > 500 {
			t.Errorf("%s: %.600v", name, err)
		}
	}
}
