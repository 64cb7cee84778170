package vulture

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	testSource document.Source = "src"
	testPath   document.Path   = "w0/a.go"
	first                      = "alpha\nbeta\ngamma\n"
	second                     = "beta\ndelta\n"
)

var (
	testSpot    = spot{testSource, testPath}
	testGrounds = []ground{{Place: Place{Source: testSource}, prefix: "w0/"}}
)

// court is a judge over a world in which testPath held first (acknowledged at
// 10), then second (at 20), and was then deleted (at 30); w0/new.go was
// written and not acknowledged.
func court(t *testing.T) *judge {
	t.Helper()
	w := newWorld()
	for i, content := range [][]byte{[]byte(first), []byte(second), nil} {
		op := w.begin(true, effect{at: testSpot, content: content})
		w.written(op)
		w.finish(op, document.Token{Epoch: 1, Seq: uint64(10 * (i + 1))})
	}
	op := w.begin(false, effect{at: spot{testSource, "w0/new.go"}, content: []byte("omega\n")})
	w.finish(op, document.Token{})
	j := newJudge(Config{Deadline: deadline}, w, bustest.New(t), testGrounds)
	return j
}

// A log that loses parts does not know the tokens from them, and says so. No other
// may.
func TestUnknownTokenOfALostPart_IsExcusedByDamageAlone(t *testing.T) {
	for _, damaged := range []bool{true, false} {
		j := court(t)
		j.cfg.Damaged = damaged
		a := answer{sent: time.Now(), arrived: time.Now(), err: document.Errorf(document.TokenUnknown, "take a new one")}
		if got := verdict(t, j, a); (len(got) == 0) != damaged {
			t.Errorf("damaged %t: %v", damaged, got)
		}
	}
}

// reply is an answer with one hit.
func reply(seq uint64, h contract.Hit) answer {
	h.Source = testSource
	a := answer{sent: time.Now(), arrived: time.Now()}
	a.reply.Token = document.Token{Epoch: 1, Seq: seq}
	a.reply.Hits = []contract.Hit{h}
	return a
}

// verdict judges without waiting for a log that these tests do not have.
func verdict(t *testing.T, j *judge, a answer) []Violation {
	t.Helper()
	j.verdict(a)
	return j.result().Violations()
}

func wants(t *testing.T, got []Violation, kinds ...Kind) {
	t.Helper()
	if len(got) != len(kinds) {
		t.Fatalf("%d violations %v, want %v", len(got), got, kinds)
	}
	for i, k := range kinds {
		if got[i].Kind != k {
			t.Errorf("violation is %s, want %s", got[i], k)
		}
	}
}

func TestJudge_BlamesWhatIsWrongAlone(t *testing.T) {
	line := func(from, to int, version document.Version, text string) contract.Hit {
		return contract.Hit{Path: testPath, StartLine: from, EndLine: to, Version: version, Text: text}
	}
	for name, c := range map[string]struct {
		seq  uint64
		hit  contract.Hit
		want []Kind
	}{
		"the content of the token":            {20, line(1, 2, 20, second), nil},
		"a version written since":             {10, line(2, 2, 10, "delta\n"), []Kind{Stale}},
		"a version that was replaced":         {20, line(1, 1, 20, "alpha\n"), []Kind{Stale}},
		"a deleted path":                      {30, line(1, 2, 20, second), []Kind{Ghost}},
		"a path that was never written":       {30, contract.Hit{Path: "w0/b.go", StartLine: 1, EndLine: 1, Text: "alpha\n"}, []Kind{Ghost}},
		"the wrong line":                      {20, line(2, 2, 20, "beta\n"), []Kind{WrongLines}},
		"too many lines":                      {20, line(1, 2, 20, "beta\n"), []Kind{WrongLines}},
		"an empty text":                       {20, line(1, 1, 20, ""), []Kind{Stale}},
		"a version behind the token":          {20, line(1, 2, 21, second), []Kind{WrongVersion}},
		"a write without an acknowledgement":  {31, contract.Hit{Path: "w0/new.go", StartLine: 1, EndLine: 1, Version: 31, Text: "omega\n"}, nil},
		"a write begun after the token":       {30, contract.Hit{Path: "w0/new.go", StartLine: 1, EndLine: 1, Version: 30, Text: "omega\n"}, []Kind{Ghost}},
		"a path outside of the vulture's own": {30, contract.Hit{Path: "other/a.go", Text: "alpha\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			wants(t, verdict(t, court(t), reply(c.seq, c.hit)), c.want...)
		})
	}
}

// What was written tells less than the log: a version that was in the log
// before the write's acknowledgement came contradicts an answer too.
func TestAnswerThatTheLogContradicts_IsBlamed(t *testing.T) {
	w := newWorld()
	op := w.begin(true, effect{at: testSpot, content: []byte(first)})
	w.finish(op, document.Token{Epoch: 1, Seq: 10})
	w.observe(testSpot, logged{seq: 10, op: contract.OpPut, hash: document.HashOf([]byte(first))})
	later := w.begin(true, effect{at: testSpot, content: []byte(second)})
	w.observe(testSpot, logged{seq: 15, op: contract.OpPut, hash: document.HashOf([]byte(second))})
	j := newJudge(Config{Deadline: deadline}, w, bustest.New(t), testGrounds)
	wants(t, verdict(t, j, reply(16, contract.Hit{Path: testPath, StartLine: 1, EndLine: 1, Version: 10, Text: "alpha\n"})), Stale)
	w.finish(later, document.Token{Epoch: 1, Seq: 15})
}

func TestLateMissingOrBackwards_IsBlamed(t *testing.T) {
	asked := question{class: askToken, word: "delta", at: testSpot, token: document.Token{Epoch: 1, Seq: 20}}
	hit := contract.Hit{Path: testPath, StartLine: 1, EndLine: 2, Version: 20, Text: second}
	for name, c := range map[string]struct {
		change func(*answer)
		want   []Kind
	}{
		"as promised":            {func(*answer) {}, nil},
		"no hit":                 {func(a *answer) { a.reply.Hits = nil }, []Kind{Missing}},
		"a hit without the word": {func(a *answer) { a.reply.Hits[0].EndLine, a.reply.Hits[0].Text = 1, "beta\n" }, []Kind{Missing}},
		// Others may be better by weights that are tried; where there is room it has to be there.
		"the word is not among the best of tried weights": {func(a *answer) {
			a.reply.Hits[0].EndLine, a.reply.Hits[0].Text = 1, "beta\n"
			a.options.K, a.options.Ranking = 1, map[string]string{"vector_symbol": "0.9"}
		}, nil},
		"the word is missing where there is room": {func(a *answer) {
			a.reply.Hits[0].EndLine, a.reply.Hits[0].Text = 1, "beta\n"
			a.options.K, a.options.Ranking = all, map[string]string{"vector_symbol": "0.9"}
		}, []Kind{Missing}},
		"pending and covered": {func(a *answer) {
			a.reply.Pending = []contract.PendingPath{{Source: testSource, Path: testPath, Version: 20}}
		}, []Kind{Late}},
		"pending since": {func(a *answer) {
			a.reply.Pending = []contract.PendingPath{{Source: testSource, Path: testPath, Version: 21}}
		}, nil},
		"an older token":           {func(a *answer) { a.floor = 21 }, []Kind{Backwards}},
		"the same passage twice":   {func(a *answer) { a.reply.Hits = append(a.reply.Hits, a.reply.Hits[0]) }, []Kind{Duplicate}},
		"an error":                 {func(a *answer) { a.err = errors.New("no") }, []Kind{Failure}},
		"a document was given up":  {func(a *answer) { a.reply.Failed = []contract.FailedPath{{Source: testSource, Path: testPath}} }, []Kind{Failure}},
		"the token's write is new": {func(a *answer) { a.reply.Token.Seq = 20 }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			j := court(t)
			// The delete is taken back, so that the word has to be there.
			f := j.world.files[testSpot]
			f.states = f.states[:2]
			a := reply(20, hit)
			a.question = asked
			c.change(&a)
			wants(t, verdict(t, j, a), c.want...)
		})
	}
}

func TestSlowAnswers_DoNotCountAsFresh(t *testing.T) {
	for answers, want := range map[int][]Kind{freshAnswers: {Unfresh}, freshAnswers - 1: nil} {
		j := court(t)
		j.report.WithToken, j.report.Fresh = answers, answers-2
		var got []Kind
		for _, v := range j.result().Violations() {
			got = append(got, v.Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("two of %d answers are slow: %v, want %v", answers, got, want)
		}
	}
}

func TestWriteUnderWay_DoesNotCountAsDone(t *testing.T) {
	j := court(t)
	j.world.begin(true, effect{at: testSpot, content: []byte(first)})
	a := reply(30, contract.Hit{})
	a.reply.Hits = nil
	a.question = question{class: askToken, word: "alpha", at: testSpot, token: document.Token{Epoch: 1, Seq: 30}}
	wants(t, verdict(t, j, a))
}

func TestUniqueWords_NeverRepeat(t *testing.T) {
	seen := map[string]bool{}
	for writer := range 3 {
		w := words{base: writer * wordsPerWriter}
		for range 20_000 {
			word := w.unique()
			if seen[word] || !uniqueWord.MatchString(word) {
				t.Fatalf("%q comes twice or is not recognised", word)
			}
			seen[word] = true
		}
	}
}
