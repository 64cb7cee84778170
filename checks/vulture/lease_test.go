package vulture

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// At 10 the document was alpha, beta, gamma; at 20 beta and delta; at 30 it was gone.
func TestLeaseThatTellsTooLittleOrTooMuch_IsBlamed(t *testing.T) {
	change := func(what string, start, now int, version document.Version) contract.LeaseChange {
		c := contract.LeaseChange{What: what, Source: testSource, Path: testPath, StartLine: start, EndLine: start, Version: version}
		if now > 0 {
			c.NowStart, c.NowEnd = now, now
		}
		return c
	}
	moved, changed, gone := contract.LeaseMoved, contract.LeaseChanged, contract.LeaseGone
	beta := leaf{at: testSpot, version: 10, start: 2, end: 2, text: "beta\n"}
	either := leaf{at: testSpot, version: 10, start: 2, end: 2, text: "beta", variants: 2}
	alpha := leaf{at: testSpot, version: 10, start: 1, end: 1, text: "alpha\n"}
	for name, c := range map[string]struct {
		holds []leaf
		seq   uint64
		told  []contract.LeaseChange
		more  int // unchecked
		want  []Kind
	}{
		"a move, told":                          {holds: []leaf{beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 1, 20)}},
		"a move, not told":                      {holds: []leaf{beta}, seq: 20, want: []Kind{Untold}},
		"a move, told as a change":              {holds: []leaf{beta}, seq: 20, told: []contract.LeaseChange{change(changed, 2, 0, 20)}, want: []Kind{Untold, FalseAlarm}},
		"a move, told to where it is not":       {holds: []leaf{beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 3, 20)}, want: []Kind{Untold, FalseAlarm}},
		"a move, told twice":                    {holds: []leaf{beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 1, 20), change(moved, 2, 1, 20)}, want: []Kind{FalseAlarm}},
		"one of two that may be three, moved":   {holds: []leaf{either, beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 1, 20)}, want: []Kind{Untold}},
		"two of two that may be three, moved":   {holds: []leaf{either, beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 1, 20), change(moved, 2, 1, 20)}},
		"three of two that may be three, moved": {holds: []leaf{either, beta}, seq: 20, told: []contract.LeaseChange{change(moved, 2, 1, 20), change(moved, 2, 1, 20), change(moved, 2, 1, 20)}},
		"a change, told":                        {holds: []leaf{alpha}, seq: 20, told: []contract.LeaseChange{change(changed, 1, 0, 20)}},
		"a change, not told":                    {holds: []leaf{alpha}, seq: 20, want: []Kind{Untold}},
		"a change, told as not looked at":       {holds: []leaf{alpha}, seq: 20, more: 1},
		"one change of two":                     {holds: []leaf{alpha, beta}, seq: 20, told: []contract.LeaseChange{change(changed, 1, 0, 20)}, want: []Kind{Untold}},
		"nothing happened, nothing told":        {holds: []leaf{alpha, beta}, seq: 10},
		"nothing happened, a change told":       {holds: []leaf{alpha}, seq: 10, told: []contract.LeaseChange{change(changed, 1, 0, 10)}, want: []Kind{FalseAlarm}},
		"nothing happened, told as gone":        {holds: []leaf{alpha}, seq: 20, told: []contract.LeaseChange{change(gone, 1, 0, 20)}, want: []Kind{Untold, FalseAlarm}},
		"gone, told":                            {holds: []leaf{beta}, seq: 30, told: []contract.LeaseChange{change(gone, 2, 0, 30)}},
		"gone, not told":                        {holds: []leaf{beta}, seq: 30, want: []Kind{Untold}},
		"told of what the lease has not":        {seq: 20, told: []contract.LeaseChange{change(changed, 1, 0, 20)}, want: []Kind{FalseAlarm}},
		"told of another document":              {seq: 20, told: []contract.LeaseChange{{What: gone, Source: testSource, Path: "other/a.go"}}},
		"the same with a part left out":         {holds: []leaf{{at: testSpot, version: 10, start: 1, end: 1}, alpha}, seq: 20, told: []contract.LeaseChange{change(changed, 1, 0, 20)}},
		"a text of which a part is left out":    {holds: []leaf{{at: testSpot, version: 10, start: 1, end: 3}}, seq: 20},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			f := j.world.files[testSpot]
			f.states = f.states[:c.seq/10]
			a := answer{sent: time.Now(), arrived: time.Now(), door: &checking{}, question: question{lease: &lease{leaves: c.holds}}}
			a.reply.Token = document.Token{Epoch: 1, Seq: c.seq}
			a.news = &contract.LeaseNews{Token: a.reply.Token, Changes: c.told, Unchecked: c.more}
			wants(t, verdict(t, j, a), c.want...)
			if again := a; len(c.want) == 0 && c.more == 0 && len(c.told) > 0 && len(c.holds) == 1 {
				if told := c.told[0]; told.Path == testPath {
					wants(t, verdict(t, j, again), FalseAlarm) // a second time
				}
			}
		})
	}
}

// A passage that moved is held where it went, and one that an answer gives twice is
// held once.
func TestLease_FollowsWhereAPassageWent(t *testing.T) {
	j := court(t)
	f := j.world.files[testSpot]
	f.states = f.states[:2]
	l := &lease{}
	ask := func(seq uint64, hits []contract.Hit, told ...contract.LeaseChange) answer {
		a := answer{sent: time.Now(), arrived: time.Now(), question: question{lease: l}}
		a.reply.Token, a.reply.Hits = document.Token{Epoch: 1, Seq: seq}, hits
		a.news = &contract.LeaseNews{Token: a.reply.Token, Changes: told}
		return a
	}
	hit := contract.Hit{Source: testSource, Path: testPath, StartLine: 2, EndLine: 2, Version: 10, Text: "beta\n"}
	other := hit
	other.Text = "beta"
	f.states = f.states[:1]
	wants(t, verdict(t, j, ask(10, []contract.Hit{hit})))
	wants(t, verdict(t, j, ask(10, []contract.Hit{other})))
	if len(l.leaves) != 1 || l.leaves[0].column != 0 {
		t.Fatalf("the lease holds %+v", l.leaves)
	}
	f.states = f.states[:2]
	move := contract.LeaseChange{What: contract.LeaseMoved, Source: testSource, Path: testPath, StartLine: 2, EndLine: 2, NowStart: 1, NowEnd: 1, Version: 20}
	wants(t, verdict(t, j, ask(20, nil, move)))
	if len(l.leaves) != 1 || l.leaves[0].start != 1 {
		t.Fatalf("the lease holds %+v", l.leaves)
	}
	wants(t, verdict(t, j, ask(20, nil)))
	f.states = f.states[:3]
	wants(t, verdict(t, j, ask(30, nil)), Untold)
}
