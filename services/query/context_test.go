package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func (r *rig) context(in contract.ContextRequest) contract.ContextReply {
	r.Helper()
	reply, err := patient(in.DeadlineMS, func(ms int) (contract.ContextReply, error) {
		in.DeadlineMS = ms
		return client.Context.Ask(r.Context(), r.bus.Conn(), in)
	})
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

const herons = "package birds\n\nfunc CountHerons(pond string) int {\n\treturn len(herons[pond])\n}\n\nfunc FeedHerons(pond string) {\n\tthrow(fish, pond)\n}\n\nfunc CallHerons() string {\n\treturn \"kraak\"\n}\n"

func TestContextCarriesAToken_WrittenTextIsInItAndWhatItReplacedIsNot(t *testing.T) {
	r := newRig(t)
	r.stored("birds/heron.go", herons)
	token := r.write("birds/heron.go", strings.Replace(herons, "len(herons[pond])", "census(pond)", 1))
	reply := r.context(contract.ContextRequest{Query: "CountHerons", Token: token.String(), DeadlineMS: 300})
	if !strings.Contains(reply.Text, "census(pond)") || strings.Contains(reply.Text, "len(herons") || reply.Token.Seq < token.Seq {
		t.Errorf("with the token %s: token %s,\n%s", token, reply.Token, reply.Text)
	}
	r.settle("birds/heron.go")
	reply = r.context(contract.ContextRequest{Query: "CountHerons", Token: token.String()})
	if len(reply.Pending) > 0 || !strings.Contains(reply.Text, "[1] birds/heron.go → CountHerons, lines 3-") || !strings.Contains(reply.Text, "| \treturn census(pond)") {
		t.Errorf("pending %v,\n%s", reply.Pending, reply.Text)
	}
	if last := reply.Trace[len(reply.Trace)-1]; last.Stage != "pack" || last.Out != len(reply.Passages) {
		t.Errorf("the last stage is %+v", last)
	}
}

func TestThereIsRoom_WhatStandsAroundAPassageIsThereOnce(t *testing.T) {
	r := newRig(t)
	r.stored("birds/heron.go", herons)
	one := contract.ContextRequest{Query: "FeedHerons", TopK: 1, Token: "latest"}
	reply := r.context(one)
	if len(reply.Passages) != 1 || !reply.Passages[0].Wider || strings.Count(reply.Text, "CountHerons") != 1 || strings.Count(reply.Text, "func CallHerons") != 1 {
		t.Errorf("%+v\n%s", reply.Passages, reply.Text)
	}
	one.Alone = true
	if reply = r.context(one); reply.Passages[0].Wider || strings.Contains(reply.Text, "CallHerons") {
		t.Errorf("alone: %+v\n%s", reply.Passages, reply.Text)
	}
	if reply = r.context(contract.ContextRequest{Query: "herons pond", Token: "latest"}); strings.Count(reply.Text, "func FeedHerons") != 1 || strings.Count(reply.Text, "func CountHerons") != 1 {
		t.Errorf("neighbours that are passages themselves: %s", reply.Text)
	}
}

func TestQuestionPointsBack_IsSearchedWithWhatWasSaid(t *testing.T) {
	r := newRig(t)
	r.stored("birds/heron.go", herons)
	r.stored("birds/reed.md", "The reed stands in water.\n")
	reply := r.context(contract.ContextRequest{TopK: 1, Token: "latest", Turns: []contract.Turn{
		{Role: contract.TurnUser, Text: "how are herons fed with fish? lang:go -census"}, {Role: contract.TurnAssistant, Text: "By `FeedHerons`."}, {Role: contract.TurnUser, Text: "who calls it?"},
	}})
	if reply.Query != "who calls it?\nhow are herons fed with fish?\nFeedHerons" || !strings.Contains(reply.Text, "throw(fish") {
		t.Errorf("searched %q, found %s", reply.Query, reply.Text)
	}
}

func TestBudget_IsThatOfTheModel(t *testing.T) {
	r := newRig(t)
	for i := range 12 {
		r.stored(fmt.Sprintf("birds/heron%d.go", i), strings.ReplaceAll(herons, "Herons", fmt.Sprintf("Herons%d", i)))
	}
	for _, c := range []struct {
		in   contract.ContextRequest
		want contract.ContextBudget
	}{
		{contract.ContextRequest{}, contract.ContextBudget{Tokens: 4000, Tokenizer: "o200k_base", Exact: true, Window: 8192, From: "default"}},
		{contract.ContextRequest{Model: "gpt-4o"}, contract.ContextBudget{Tokens: 16_000, Tokenizer: "o200k_base", Exact: true, Window: 128_000, From: "table"}},
		{contract.ContextRequest{Model: "gpt-4"}, contract.ContextBudget{Tokens: 2048, Tokenizer: "cl100k_base", Exact: true, Window: 8192, From: "table"}},
		{contract.ContextRequest{Model: "claude-x", MaxTokens: 100}, contract.ContextBudget{Tokens: 100, Tokenizer: "o200k_base", Factor: 1.3, Window: 200_000, From: "table"}},
		{contract.ContextRequest{Model: "gpt-4", Window: 4000}, contract.ContextBudget{Tokens: 1000, Tokenizer: "cl100k_base", Exact: true, Window: 4000, From: "request"}},
	} {
		c.in.Query, c.in.Token, c.in.Format = "where are herons counted", "latest", contract.FormatXML
		reply := r.context(c.in)
		if reply.Budget != c.want || reply.Tokens > c.want.Tokens || reply.Tokens == 0 {
			t.Errorf("%+v: %d tokens of %+v", c.in, reply.Tokens, reply.Budget)
		}
		if found := len(reply.Passages) + reply.LeftOut; found != 8 {
			t.Errorf("%d passages of 8", found)
		}
	}
}

func TestWrongContextRequest_IsRefused(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct {
		in   contract.ContextRequest
		says string
	}{
		{contract.ContextRequest{}, "the query is empty"},
		{contract.ContextRequest{Query: "x", Preset: "huge"}, "choose focused, balanced, broad, deep"},
		{contract.ContextRequest{Query: "x", TopK: 51}, "choose 1 to 50"},
		{contract.ContextRequest{Query: "x", Select: "best"}, "choose top_k or mmr"},
		{contract.ContextRequest{Query: "x", Format: "html"}, "choose plain, markdown, xml, json"},
		{contract.ContextRequest{Query: "x", Tokenizer: "gpt2"}, "choose cl100k_base or o200k_base"},
		{contract.ContextRequest{Query: "x", MaxTokens: 10}, "choose 64 to"},
		{contract.ContextRequest{Turns: []contract.Turn{{Role: "system", Text: "x"}}}, "choose user or assistant"},
		{contract.ContextRequest{Turns: []contract.Turn{{Role: "assistant", Text: "x"}}}, "end with what the user asks"},
	} {
		_, err := client.Context.Ask(t.Context(), r.bus.Conn(), c.in)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.in, err)
		}
	}
}

func TestPassagesByLikeness_AreChosenToBeUnlike(t *testing.T) {
	r := newRig(t)
	// The same words in another order: copies would be folded.
	for name, arguments := range map[string]string{"a": "pond, herons, today", "b": "herons, today, pond", "c": "today, pond, herons"} {
		r.stored("counts/"+name+".go", "func CountHerons(pond string) int {\n\treturn census("+arguments+")\n}\n")
	}
	r.stored("other/reed.go", "func PlantReeds(where bank) {\n\t// herons of the pond: census\n\tsow(reed)\n}\n")
	in := contract.ContextRequest{Query: "herons pond census", TopK: 2, Select: contract.SelectMMR, Token: "latest"}
	paths := func() (out []string) {
		for _, p := range r.context(in).Passages {
			out = append(out, string(p.Path))
		}
		return out
	}
	if got := paths(); !slices.Contains(got, "other/reed.go") {
		t.Errorf("by likeness, too: %v", got)
	}
	in.Select = contract.SelectTop
	if got := paths(); slices.Contains(got, "other/reed.go") {
		t.Errorf("by score alone: %v", got)
	}
}
