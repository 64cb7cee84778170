package vulture

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestWrongLines_AreBlamed(t *testing.T) {
	beta := contract.GrepFile{Source: testSource, Path: testPath, Version: 20, Count: 1, Lines: []contract.GrepLine{{Line: 1, Offset: 0, Text: "beta"}}}
	unsearched := func(why contract.GrepReason) func(*contract.GrepReply) {
		return func(r *contract.GrepReply) {
			r.Files, r.Complete = nil, false
			r.Unsearched = []contract.GrepUnsearched{{Source: testSource, Path: testPath, Reason: why}}
		}
	}
	for name, c := range map[string]struct {
		seq    uint64
		show   string
		change func(*contract.GrepReply)
		want   []Kind
	}{
		"the lines of the token":           {seq: 20},
		"a version written since":          {seq: 10, want: []Kind{Stale}},
		"a deleted path":                   {seq: 30, want: []Kind{Ghost}},
		"another line":                     {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Lines[0].Line = 2 }, want: []Kind{Stale}},
		"another place":                    {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Lines[0].Offset = 6 }, want: []Kind{Stale}},
		"another text":                     {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Lines[0].Text = "Beta" }, want: []Kind{Stale}},
		"one line too few":                 {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Lines = nil }, want: []Kind{Stale}},
		"another count":                    {seq: 20, show: contract.GrepCounts, change: func(r *contract.GrepReply) { r.Files[0].Count = 2 }, want: []Kind{Stale}},
		"a version behind the token":       {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Version = 21 }, want: []Kind{WrongVersion}},
		"a version before the one of then": {seq: 20, change: func(r *contract.GrepReply) { r.Files[0].Version = 10 }},
		"the same document twice":          {seq: 20, change: func(r *contract.GrepReply) { r.Files = append(r.Files, r.Files[0]) }, want: []Kind{Duplicate}},
		"nothing":                          {seq: 20, change: func(r *contract.GrepReply) { r.Files = nil }, want: []Kind{Missing}},
		"nothing, and it was gone":         {seq: 30, change: func(r *contract.GrepReply) { r.Files = nil }},
		"told as not searched for time":    {seq: 20, change: unsearched(contract.GrepDeadline)},
		"told as not to be read":           {seq: 20, change: unsearched(contract.GrepUnreadable), want: []Kind{Missing}},
		"complete without a document": {seq: 20, change: func(r *contract.GrepReply) {
			unsearched(contract.GrepDeadline)(r)
			r.Complete = true
		}, want: []Kind{Failure, Missing}},
		"more than is listed": {seq: 20, change: func(r *contract.GrepReply) { r.Files, r.More = nil, 1 }},
		"an older token":      {seq: 19, change: func(r *contract.GrepReply) { r.Files = nil }, want: []Kind{Backwards}},
	} {
		t.Run(name, func(t *testing.T) {
			a := answer{sent: time.Now(), arrived: time.Now(), question: question{class: askNow, word: "beta", at: testSpot}}
			if name == "an older token" {
				a.floor = 20
			}
			f := beta
			f.Lines = append([]contract.GrepLine{}, beta.Lines...)
			a.lines = &lined{reply: contract.GrepReply{Files: []contract.GrepFile{f}, Complete: true}}
			a.lines.request = contract.GrepRequest{Pattern: "^beta$", Show: c.show}
			a.lines.request.Filter.Sources = []document.Source{testSource}
			if c.change != nil {
				c.change(&a.lines.reply)
			}
			a.reply.Token = document.Token{Epoch: 1, Seq: c.seq}
			j := court(t)
			if c.seq == 19 {
				delete(j.world.files, testSpot)
			}
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}
