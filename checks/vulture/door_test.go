package vulture

import (
	"errors"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// through judges an answer that came by a door, of a world that ended at seq.
func through(t *testing.T, seq uint64, d door, err error) []Violation {
	t.Helper()
	j := court(t)
	f := j.world.files[testSpot]
	f.states = f.states[:seq/10]
	a := answer{sent: time.Now(), arrived: time.Now(), floor: seq, door: d, err: err}
	a.reply.Token = document.Token{Epoch: 1, Seq: seq}
	return verdict(t, j, a)
}

func TestReadThatGivesOtherLines_IsBlamed(t *testing.T) {
	gone := document.Errorf(document.NotFound, "it was deleted")
	for name, c := range map[string]struct {
		seq    uint64
		change func(*reading)
		err    error
		want   []Kind
	}{
		"as it is":                     {seq: 20},
		"a version written since":      {seq: 10, want: []Kind{Stale}},
		"a version that was replaced":  {seq: 20, change: func(d *reading) { d.reply.Text = "alpha\n" }, want: []Kind{Stale}},
		"the hash of another":          {seq: 20, change: func(d *reading) { d.reply.Hash = document.HashOf([]byte(first)) }, want: []Kind{Stale}},
		"another number of lines":      {seq: 20, change: func(d *reading) { d.reply.Total = 3 }, want: []Kind{Stale}},
		"nothing to go on with":        {seq: 20, change: func(d *reading) { d.reply.Next = 0 }, want: []Kind{Stale}},
		"another document":             {seq: 20, change: func(d *reading) { d.reply.Path = "w0/b.go" }, want: []Kind{Ghost}},
		"a version behind the token":   {seq: 20, change: func(d *reading) { d.reply.Version = 21 }, want: []Kind{WrongVersion}},
		"what was deleted":             {seq: 30, want: []Kind{Ghost}},
		"what was deleted, as gone":    {seq: 30, err: gone},
		"what is there, as gone":       {seq: 20, err: gone, want: []Kind{Missing}},
		"a line behind the end":        {seq: 20, change: func(d *reading) { d.request.From = 3 }, err: document.Errorf(document.InvalidRequest, "it has 2 lines")},
		"a line behind the end, wrong": {seq: 20, err: document.Errorf(document.InvalidRequest, "it has 0 lines"), want: []Kind{Failure}},
		"nothing at all":               {seq: 20, err: errors.New("no"), want: []Kind{Failure}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &reading{request: contract.ReadRequest{Source: testSource, Path: testPath, Limit: 1}}
			d.reply = contract.ReadReply{Source: testSource, Path: testPath, Version: 20, Hash: document.HashOf([]byte(second)), Size: int64(len(second)),
				Total: 2, From: 1, To: 1, Text: "beta\n", Next: 2}
			if c.change != nil {
				c.change(d)
			}
			wants(t, through(t, c.seq, d, c.err), c.want...)
		})
	}
}

func TestOutlineThatNamesWhatDoesNotStandThere_IsBlamed(t *testing.T) {
	const code = "package window\n\nfunc qbabababababax() {\n}\n"
	at := spot{testSource, "w0/code.go"}
	for name, c := range map[string]struct {
		change func(*contract.OutlineReply)
		err    error
		token  uint64
		want   []Kind
	}{
		"as it is":                      {},
		"at another line":               {change: func(r *contract.OutlineReply) { r.Document.Entries[0].StartLine, r.Document.Entries[0].EndLine = 1, 2 }, want: []Kind{WrongLines}},
		"behind the end":                {change: func(r *contract.OutlineReply) { r.Document.Entries[0].EndLine = 5 }, want: []Kind{WrongLines}},
		"nothing":                       {change: func(r *contract.OutlineReply) { r.Document.Entries = nil }, want: []Kind{Missing}},
		"of another content":            {change: func(r *contract.OutlineReply) { r.Document.Hash = document.HashOf([]byte(first)) }, want: []Kind{Stale}},
		"not cut yet":                   {change: func(r *contract.OutlineReply) { r.Document.Entries, r.Document.Uncut = nil, true }},
		"not cut, with a token":         {change: func(r *contract.OutlineReply) { r.Document.Entries, r.Document.Uncut = nil, true }, token: 40, want: []Kind{Late}},
		"not cut, newer than the token": {change: func(r *contract.OutlineReply) { r.Document.Entries, r.Document.Uncut = nil, true }, token: 39},
		"as gone":                       {err: document.Errorf(document.NotFound, "no"), want: []Kind{Missing}},
		"as a folder without it": {change: func(r *contract.OutlineReply) {
			r.Document, r.Folder = nil, &contract.OutlineFolder{Path: "w0", Entries: []contract.OutlineChild{{Source: testSource, Path: "w0/gone.go"}}}
		}, want: []Kind{Ghost, Missing}},
		"as a folder with another size of it": {change: func(r *contract.OutlineReply) {
			r.Document, r.Folder = nil, &contract.OutlineFolder{Path: "w0", Entries: []contract.OutlineChild{{Source: testSource, Path: at.path, Size: 1}}}
		}, want: []Kind{Stale}},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			op := j.world.begin(true, effect{at: at, content: []byte(code)})
			j.world.written(op)
			j.world.finish(op, document.Token{Epoch: 1, Seq: 40})
			d := &outlining{request: contract.OutlineRequest{Source: testSource, Path: at.path}}
			d.reply.Document = &contract.OutlineDocument{Source: testSource, Path: at.path, Version: 40, Hash: document.HashOf([]byte(code)), Size: int64(len(code)), Total: 4,
				Entries: []contract.OutlineEntry{{Name: "qbabababababax", StartLine: 3, EndLine: 4}}}
			if c.change != nil {
				c.change(&d.reply)
			}
			if d.reply.Folder != nil {
				d.request.Path = "w0"
			}
			a := answer{sent: time.Now(), arrived: time.Now(), floor: 40, door: d, err: c.err, question: question{class: askToken}}
			a.reply.Token = document.Token{Epoch: 1, Seq: 40}
			if c.token > 0 {
				a.token = document.Token{Epoch: 1, Seq: c.token}
			}
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}

// A file that is being written may end with the space between two words, which a passage
// has or has not.
func TestFileEndsWithSpace_ItsPassageStandsInItWithAndWithout(t *testing.T) {
	for text, contents := range map[string]map[string]bool{
		"alpha\nbeta":  {"alpha\nbeta": true, "alpha\nbeta\n": true, "alpha\nbeta ": true, "alpha\nbeta \n": false, "alpha\nbeta \ngamma": false, "alpha\nbeta g": false},
		"alpha\nbeta ": {"alpha\nbeta ": true, "alpha\nbeta \n": true, "alpha\nbeta\n": false, "alpha\nbeta g": false},
	} {
		for content, want := range contents {
			if got := standsTrimmed([]byte(content), contract.Hit{StartLine: 1, EndLine: 2, Text: text}); got != want {
				t.Errorf("%q stands in %q: %t, want %t", text, content, got, want)
			}
		}
	}
}

func TestContextThatHoldsWhatTheDocumentDoesNot_IsBlamed(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		change func(*contract.ContextReply)
		want   []Kind
	}{
		"as it is":                     {text: `{"passages":[{"n":1,"text":"beta\ndelta"}]}`},
		"under what it is a part of":   {text: `{"passages":[{"n":1,"text":"func a\n…\nbeta\ndelta"}]}`},
		"a text that was replaced":     {text: `{"passages":[{"n":1,"text":"alpha\nbeta"}]}`, want: []Kind{Stale, Missing}},
		"other lines":                  {text: `{"passages":[{"n":1,"text":"delta"}]}`, want: []Kind{Stale}},
		"without the passage":          {text: `{"passages":[]}`, want: []Kind{Failure}},
		"no JSON":                      {text: `beta`, want: []Kind{Failure}},
		"more tokens than were wanted": {text: `{"passages":[{"n":1,"text":"beta\ndelta"}]}`, change: func(r *contract.ContextReply) { r.Tokens = 101 }, want: []Kind{Failure}},
		"without the word":             {change: func(r *contract.ContextReply) { r.Passages, r.Order = nil, nil }, want: []Kind{Missing}},
		"what did not fit":             {change: func(r *contract.ContextReply) { r.Passages, r.Order, r.LeftOut = nil, nil, 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			f := j.world.files[testSpot]
			f.states = f.states[:2]
			d := &packed{request: contract.ContextRequest{MaxTokens: 100, TopK: 10}}
			d.reply = contract.ContextReply{Text: c.text, Order: []int{1}, Passages: []contract.ContextPassage{{N: 1, Source: testSource, Path: testPath, StartLine: 1, EndLine: 2, Version: 20}}}
			if c.change != nil {
				c.change(&d.reply)
			}
			a := answer{sent: time.Now(), arrived: time.Now(), door: d, question: question{class: askToken, word: "delta", at: testSpot, token: document.Token{Epoch: 1, Seq: 20}}}
			a.reply.Token = document.Token{Epoch: 1, Seq: 20}
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}

func TestRelatedPassageThatTheDocumentDoesNotHave_IsBlamed(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*contract.RelatedReply)
		err    error
		line   int
		want   []Kind
	}{
		"as it is":                    {},
		"a text that was replaced":    {change: func(r *contract.RelatedReply) { r.Related[0].Passage.Text = "alpha\nbeta\n" }, want: []Kind{Stale, Stale}},
		"other lines":                 {change: func(r *contract.RelatedReply) { r.Related[0].Passage.StartLine = 2 }, want: []Kind{WrongLines}},
		"for a name that it has not":  {change: func(r *contract.RelatedReply) { r.Related[0].Why[0].Name = "pkg.gamma" }, want: []Kind{Stale}},
		"twice":                       {change: func(r *contract.RelatedReply) { r.Related = append(r.Related, r.Related[0]) }, want: []Kind{Duplicate}},
		"to what is behind the end":   {change: func(r *contract.RelatedReply) { r.Of.EndLine = 9 }, want: []Kind{Stale}},
		"to a name that is gone":      {change: func(r *contract.RelatedReply) { r.Of.Names = []string{"alpha"} }, want: []Kind{Stale}},
		"to another document":         {change: func(r *contract.RelatedReply) { r.Of.Path = "w0/other.md" }, want: []Kind{Ghost}},
		"to what is said to be gone":  {err: document.Errorf(document.NotFound, "no"), want: []Kind{Missing}},
		"to a line that is not there": {err: document.Errorf(document.InvalidRequest, "no"), line: 3},
		"to a line that is there":     {err: document.Errorf(document.InvalidRequest, "no"), line: 1, want: []Kind{Failure}},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			f := j.world.files[testSpot]
			f.states = f.states[:2]
			d := &relating{request: contract.RelatedRequest{Source: testSource, Path: testPath, Line: c.line}}
			d.reply.Of = contract.RelatedOf{Source: testSource, Path: testPath, StartLine: 1, EndLine: 2, Version: 20}
			d.reply.Related = []contract.Related{{Why: []contract.Relation{{Relation: contract.RelatedCalls, Name: "x.delta"}}, Passage: contract.Hit{Source: testSource, Path: testPath, StartLine: 1, EndLine: 2, Version: 20, Text: "beta\ndelta\n"}}}
			if c.change != nil {
				c.change(&d.reply)
			}
			a := answer{sent: time.Now(), arrived: time.Now(), door: d, err: c.err, floor: 20, question: question{class: askToken, token: document.Token{Epoch: 1, Seq: 20}}}
			a.reply.Token = document.Token{Epoch: 1, Seq: 20}
			for i := range d.reply.Related {
				a.reply.Hits = append(a.reply.Hits, d.reply.Related[i].Passage)
			}
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}
