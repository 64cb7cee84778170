package query

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// spells has words corrected, as the default does.
func spells(r *rig) { r.cfg.Spelling = .5 }

// corrected is what an answer says of its words: "from>to,to".
func corrected(reply contract.SearchReply) string {
	var all []string
	for _, c := range reply.Corrected {
		all = append(all, c.From+">"+strings.Join(c.To, ","))
	}
	return strings.Join(all, " ")
}

func TestMisspeltSymbol_IsFound(t *testing.T) {
	r := newRig(t, spells)
	r.stored("addr/parse.go", parser)
	for name, text := range map[string]string{
		"addr/log.go": "package log\n\nfunc Rotate() { closeFile(); openNext() }\n",
		"addr/use.go": "package use\n\nfunc Use() { a := ParseAddress(\"x\"); log(a) }\n",
	} {
		r.stored(name, text)
	}
	for query, want := range map[string]string{
		"ParseAdress":                "ParseAdress>ParseAddress",
		"ParesAddress":               "ParesAddress>ParseAddress pares>parse",
		"parse_addres":               "parse_addres>ParseAddress",
		"ParseAddr":                  "ParseAddr>ParseAddress",
		"FormatAddress":              "",
		"where is ParseAdress used?": "ParseAdress>ParseAddress",
	} {
		reply := r.search(contract.SearchRequest{Query: query, Off: []string{"vector"}, Text: contract.TextFull, Explain: true})
		if len(reply.Hits) == 0 {
			t.Errorf("%s: no hits", query)
			continue
		}
		if want != "" && (reply.Hits[0].Symbol != "ParseAddress" || reply.Hits[0].Signals["definition"] == 0) {
			t.Errorf("%s finds %s first, signals %v", query, reply.Hits[0].Symbol, reply.Hits[0].Signals)
		}
		if got := corrected(reply); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: corrected %q, want %q", query, got, want)
		}
		if (traced(reply, "spelling") != nil) != (want != "") {
			t.Errorf("%s: trace %+v", query, reply.Trace)
		}
	}
}

func TestWordThatExists_IsNotCorrected(t *testing.T) {
	r := newRig(t, spells)
	r.stored("a.go", "package a\n\nfunc Form() { form form form }\n")
	r.stored("b.go", "package b\n\nfunc From() { from from from }\n")
	r.write("c.go", "package c\n\nfunc Zebar() { zebar() }\n")
	r.stored("d.go", "package d\n\nfunc Zebra() { zebra() }\n")
	for _, query := range []string{"form", "from", "Zebar", "zebar", "fox"} {
		reply := r.search(contract.SearchRequest{Query: query})
		if len(reply.Corrected) > 0 || traced(reply, "spelling") != nil {
			t.Errorf("%s is corrected: %+v", query, reply.Corrected)
		}
	}
}

func TestAmbiguousWord_IsTakenForAllOfThem(t *testing.T) {
	r := newRig(t, spells)
	r.stored("a.go", "package a\n\nfunc Rate() { planer() }\n")
	r.stored("b.go", "package b\n\nfunc Turn() { planet(); planet() }\n")
	r.stored("c.go", "package c\n\nfunc Move() { planed() }\n\nfunc Sit() { planet() }\n")
	reply := r.search(contract.SearchRequest{Query: "planex", Off: []string{"vector"}})
	if len(reply.Hits) != 4 || len(reply.Corrected) != 1 || len(reply.Corrected[0].To) < 2 || reply.Corrected[0].To[0] != "planet" {
		t.Errorf("%d hits, corrected %+v", len(reply.Hits), reply.Corrected)
	}
}

func TestWordOfAnotherSource_DoesNotStandIn(t *testing.T) {
	r := newRig(t, spells)
	r.stored("secret:a.go", "package a\n\nfunc Quasar() { quasar(quasar) }\n")
	r.stored("s:b.go", "package b\n\nfunc Pulsar() { pulsar() }\n")
	r.stored("s:tree/c.go", "package c\n\nfunc Quasas() { leaf() }\n")
	in := contract.SearchRequest{Query: "quasax", Off: []string{"vector"}, Filter: contract.Filter{Sources: []document.Source{"s"}}}
	if got := corrected(r.search(in)); got != "quasax>Quasas" {
		t.Errorf("in one source: %q", got)
	}
	in.Filter.Paths = []string{"b.go"}
	if reply := r.search(in); len(reply.Hits)+len(reply.Corrected) > 0 {
		t.Errorf("outside of the paths: %q, %d hits", corrected(reply), len(reply.Hits))
	}
	in.Filter = contract.Filter{Paths: []string{"**/c.go"}}
	if got := corrected(r.search(in)); got != "quasax>Quasas" {
		t.Errorf("by a glob: %q", got)
	}
	// A word that another source has does not exist here.
	in = contract.SearchRequest{Query: "Quasar", Off: []string{"vector"}, Filter: contract.Filter{Sources: []document.Source{"s"}}}
	if got := corrected(r.search(in)); got != "Quasar>Quasas" {
		t.Errorf("a word of another source: %q", got)
	}
}

func TestSpellingSwitchedOff_LooksForNoWords(t *testing.T) {
	r := newRig(t, spells)
	r.stored("addr/parse.go", parser)
	in := contract.SearchRequest{Query: "ParseAdress", Off: []string{"spelling", "vector"}}
	if reply := r.search(in); len(reply.Corrected) > 0 || traced(reply, "spelling") != nil {
		t.Errorf("switched off by the request: %+v", reply.Corrected)
	}
	off := newRig(t)
	off.stored("addr/parse.go", parser)
	if reply := off.search(contract.SearchRequest{Query: "ParseAdress"}); len(reply.Corrected) > 0 {
		t.Errorf("switched off by the configuration: %+v", reply.Corrected)
	}
	r.lexical.fail(errors.New("connection refused"))
	if reply := r.search(contract.SearchRequest{Query: "ParseAdress"}); len(reply.Corrected) > 0 {
		t.Errorf("without an index: %+v", reply.Corrected)
	}
}

func TestDeletedWord_IsNotNamed(t *testing.T) {
	r := newRig(t, spells)
	r.stored("addr/parse.go", parser)
	r.stored("gone.go", "package gone\n\nfunc ParzeAddress() { parzeaddress() }\n")
	r.remove("gone.go")
	reply := r.search(contract.SearchRequest{Query: "ParxeAddress", Off: []string{"vector"}})
	if got := corrected(reply); !strings.HasPrefix(got, "ParxeAddress>ParseAddress") || strings.Contains(strings.ToLower(got), "parze") {
		t.Errorf("corrected %q", got)
	}
}

func TestExplanation_ShowsACorrection(t *testing.T) {
	r := newRig(t, spells)
	r.stored("addr/parse.go", parser)
	x := r.explain(contract.ExplainQuery{Source: "s", Path: "addr/parse.go", Search: &contract.SearchRequest{Query: "ParseAdress"}})
	if len(x.Search.Corrected) == 0 || !slices.ContainsFunc(x.Search.Terms, func(s contract.TermState) bool {
		return s.Term == "parseaddress" && s.Word == "ParseAdress" && s.With > 0 && s.Held
	}) {
		t.Errorf("corrected %+v, terms %+v", x.Search.Corrected, x.Search.Terms)
	}
}

// The terms that stand in for a word are asked for in a second search, and the
// index may be gone by then.
func TestIndexFailsBetweenAWordAndItsCorrection_AnswerIsDegraded(t *testing.T) {
	r := newRig(t, spells)
	r.stored("a.go", "package a\n\nfunc Zebra() { zebra() }\n")
	searches := 0
	r.lexical.then = func() {
		if searches++; searches == 2 { // after the question and what stands in
			r.lexical.fail(errors.New("connection refused"))
		}
	}
	// The filter has the store asked whether what stands in leads to anything.
	reply, err := r.ask(contract.SearchRequest{Query: "where does zebrx run", Filter: contract.Filter{Sources: []document.Source{"s"}}})
	if err != nil || len(reply.Hits) == 0 || len(reply.Degraded) == 0 {
		t.Errorf("%d hits, degraded %q, error %v", len(reply.Hits), reply.Degraded, err)
	}
}
