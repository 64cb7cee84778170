package vulture

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestRelationThatCertainlyIs_IsMissed(t *testing.T) {
	const (
		callee, caller = "qbabababababax", "qbebebebebebex"
		code           = "package window\n\nfunc " + callee + "(input []byte) {\n}\n"
		uses           = "package window\n\nfunc " + caller + "(input []byte) {\n\ttotal += " + callee + "(input)\n}\n"
		silent         = "package window\n\nfunc " + caller + "(input []byte) {\n\t// total += " + callee + "(input)\n}\n"
	)
	defines, calls := spot{testSource, "w0/code.go"}, spot{testSource, "w0/user.go"}
	related := func(at spot, content, relation string) contract.Related {
		return contract.Related{Why: []contract.Relation{{Relation: relation, Name: callee}},
			Passage: contract.Hit{Source: at.source, Path: at.path, StartLine: 1, EndLine: len(linesOf([]byte(content))), Version: 50, Text: content}}
	}
	calledBy, isCalled := related(calls, uses, contract.RelatedCalledBy), related(defines, code, contract.RelatedCalls)
	calledBy.Passage.Version = 60
	for name, c := range map[string]struct {
		user string
		of   spot
		has  []contract.Related
		more func(*relating, *answer)
		want []Kind
	}{
		"a caller, shown":              {user: uses, of: defines, has: []contract.Related{calledBy}},
		"a caller, not shown":          {user: uses, of: defines, want: []Kind{Missing}},
		"what only a comment calls":    {user: silent, of: defines},
		"a definition, shown":          {user: uses, of: calls, has: []contract.Related{isCalled}},
		"a definition, not shown":      {user: uses, of: calls, want: []Kind{Missing}},
		"as many as were asked for":    {user: uses, of: defines, more: func(d *relating, _ *answer) { d.request.Limit = 0 }},
		"an answer that says it lacks": {user: uses, of: defines, more: func(_ *relating, a *answer) { a.reply.Degraded = []string{"no"} }},
		"a caller that is not cut yet": {user: uses, of: defines, more: func(_ *relating, a *answer) {
			a.reply.Pending = []contract.PendingPath{{Source: testSource, Path: calls.path}}
		}},
		"a caller that came since":       {user: uses, of: defines, more: func(_ *relating, a *answer) { a.floor = 55 }},
		"a caller of another folder":     {user: uses, of: spot{testSource, "w0/d/code.go"}},
		"a definition that stands twice": {user: uses + "func " + callee + "(input []byte) {\n}\n", of: defines},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			contents := map[spot]string{calls: c.user, c.of: code}
			if c.of == calls {
				contents = map[spot]string{calls: c.user, defines: code}
			}
			versions := map[spot]uint64{calls: 60, defines: 50, {testSource, "w0/d/code.go"}: 50}
			for at, content := range contents {
				op := j.world.begin(true, effect{at: at, content: []byte(content)})
				j.world.written(op)
				j.world.finish(op, document.Token{Epoch: 1, Seq: versions[at]})
				j.world.observe(at, logged{seq: versions[at], op: contract.OpPut, hash: document.HashOf([]byte(content))})
			}
			of := map[spot][]string{calls: {caller}}[c.of]
			if of == nil {
				of = []string{callee}
			}
			d := &relating{request: contract.RelatedRequest{Source: testSource, Path: c.of.path, Limit: 10}}
			d.reply.Of = contract.RelatedOf{Source: testSource, Path: c.of.path, StartLine: 3, EndLine: len(linesOf([]byte(contents[c.of]))), Version: document.Version(versions[c.of]), Names: of}
			d.reply.Related = c.has
			a := answer{sent: time.Now(), arrived: time.Now(), door: d, floor: 60}
			a.reply.Token = document.Token{Epoch: 1, Seq: 60}
			if c.more != nil {
				c.more(d, &a)
			}
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}
