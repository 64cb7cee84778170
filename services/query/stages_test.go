package query

import (
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

func TestSearchIsTraced_StagesStandInTheirOrder(t *testing.T) {
	r := newRig(t)
	r.stored("addr/parse.go", parser)
	for _, c := range []struct {
		off  []string
		want []string
	}{
		{nil, []string{"validate", "barrier", "analyse", "recall.lexical", "recall.vector", "recall.pending", "exact", "fuse", "signals", "resolve", "defined", "fold", "gate", "diversify", "confidence", "assemble"}},
		{[]string{request.OffVector, request.OffPending}, []string{"validate", "barrier", "analyse", "recall.lexical", "exact", "fuse", "signals", "resolve", "defined", "fold", "gate", "diversify", "confidence", "assemble"}},
	} {
		reply := r.search(contract.SearchRequest{Query: "ParseAddress", Token: "latest", Explain: true, Off: c.off})
		var got []string
		for _, s := range reply.Trace {
			got = append(got, s.Stage)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("without %v: got %v, want %v", c.off, got, c.want)
		}
	}
}

func TestStageIsLeftOut_WhatPassesItIsTold(t *testing.T) {
	r := newRig(t)
	r.stored("addr/parse.go", parser)
	reply := r.search(contract.SearchRequest{Query: "ParseAddress", Token: "latest", Explain: true, Off: []string{request.OffConfidence}})
	s := traced(reply, "confidence")
	if s == nil || s.Note != "off" || s.In != len(reply.Hits) || s.Out != s.In || reply.Confidence != nil {
		t.Errorf("got %+v and a confidence of %v for %d hits", s, reply.Confidence, len(reply.Hits))
	}
}

// Two stages of one name could not be told apart in a trace, nor left out.
func TestEveryStage_HasANameOfItsOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range [][]stage{opening, round, closing} {
		for _, s := range list {
			if seen[s.name] {
				t.Errorf("%s stands twice", s.name)
			}
			seen[s.name] = true
		}
	}
}
