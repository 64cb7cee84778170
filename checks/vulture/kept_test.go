package vulture

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestWhatAKeptQuestionIsToldWrong_IsBlamed(t *testing.T) {
	said := func(seq uint64, version document.Version, to int, text string) contract.StandingHit {
		return contract.StandingHit{ID: "k", Token: document.Token{Epoch: 1, Seq: seq},
			Hit: contract.Hit{Source: testSource, Path: testPath, StartLine: 1, EndLine: to, Version: version, Text: text}}
	}
	for name, c := range map[string]struct {
		said  contract.StandingHit
		again bool
		want  []Kind
	}{
		"as it is":                   {said: said(20, 20, 2, "beta\ndelta")},
		"a part of it":               {said: said(20, 20, 2, "beta\n…\ndel…")},
		"a text that was replaced":   {said: said(20, 20, 2, "alpha\nbeta"), want: []Kind{Stale}},
		"more lines than there are":  {said: said(20, 20, 3, "beta\ndelta"), want: []Kind{Stale}},
		"what was deleted":           {said: said(30, 20, 2, "beta\ndelta"), want: []Kind{Ghost}},
		"a version behind the token": {said: said(20, 21, 2, "beta\ndelta"), want: []Kind{WrongVersion}},
		"the same version twice":     {said: said(20, 20, 2, "beta\ndelta"), again: true, want: []Kind{Duplicate}},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			k := &keeping{told: map[toldOf]bool{}, by: map[string]int{}, more: make(chan struct{})}
			if c.again {
				k.note(c.said)
			}
			a := answer{question: question{class: askKept}, sent: time.Now(), arrived: time.Now()}
			a.reply.Token, a.reply.Hits = c.said.Token, []contract.Hit{c.said.Hit}
			if c.said.Token.Seq < 30 {
				f := j.world.files[testSpot]
				f.states = f.states[:c.said.Token.Seq/10]
			}
			keptJudge{j}.told(a, k.note(c.said))
			wants(t, j.result().Violations(), c.want...)
		})
	}
}
