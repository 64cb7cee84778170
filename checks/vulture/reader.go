package vulture

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// class is a kind of question.
type class string

const (
	askToken     class = "word with token"      // must be found
	askBeside    class = "word beside others"   // must be found
	askNow       class = "word at once"         // without a token: must be found, or its file listed as not searched
	askInHaste   class = "word in haste"        // with a token and little time: the same
	askGone      class = "gone word"            // asked at once, without a token
	askGoneToken class = "gone word with token" // asked at once
	askOld       class = "old word"             // written or gone some time ago
	askPlain     class = "plain"                // common words
	askLatest    class = "latest"               // common words with token latest
	askKept      class = "kept question"        // told what is new by itself
)

// question is one question to the deployment.
type question struct {
	class class
	word  string
	also  string         // another word that has to be found there
	text  string         // what is asked; empty: the word
	at    spot           // where the words have to be found, if anywhere
	about spot           // the document that was written, if one was
	token document.Token // zero: none
	// latest asks with the token "latest"; what was acknowledged before counts.
	latest bool
	since  time.Time // when the token was got
	// deadline is less than that of the configuration; 0 is that one.
	deadline time.Duration
	options  options
	lease    *lease // that the answer extends, if any
}

// promised reports whether the answer has to be fresh.
func (q question) promised() bool { return q.latest || !q.token.IsZero() }

// eager tells that the answer may come before everything is settled.
func (q question) eager() bool { return q.class == askNow || q.class == askInHaste }

// asked is the question as it is put.
func (q question) asked() string {
	if q.text != "" {
		return q.text
	}
	return q.word
}

// allows is what the question allows for its answer, where others allow usual.
func (q question) allows(usual time.Duration) time.Duration {
	if q.deadline > 0 {
		return q.deadline
	}
	return usual
}

func (q question) request(sources []document.Source, deadline time.Duration) contract.SearchRequest {
	r := contract.SearchRequest{Query: q.asked(), Token: q.token.String(), Text: contract.TextFull, DeadlineMS: int(q.allows(deadline) / time.Millisecond)}
	r.Filter.Sources = sources
	if q.latest {
		r.Token = "latest"
	}
	q.options.into(&r)
	return r
}

// answer is what came back.
type answer struct {
	question
	reply   contract.SearchReply
	lines   *lined              // asked for lines; of reply there is what both have
	door    door                // asked by another way; the same
	news    *contract.LeaseNews // of the question's lease
	kept    bool                // what is told of the lease stays in it
	err     error
	young   bool
	floor   uint64 // acknowledged before the question was sent
	sent    time.Time
	arrived time.Time
	// underway are the writes that had begun and not ended; their
	// acknowledgements count too.
	underway []*write
}

// covers is the sequence up to which the question knew of what was written: that of its
// token, or else what had been acknowledged.
func (a answer) covers() uint64 {
	if a.token.IsZero() {
		return a.floor
	}
	return a.token.Seq
}

// kind is under which an answer is counted.
func (a answer) kind() string {
	switch {
	case a.door != nil:
		return a.door.name()
	case a.lines != nil:
		return "lines: " + string(a.class)
	}
	return string(a.class)
}

// reader asks. It belongs to one goroutine.
type reader struct {
	v       *Vulture
	rng     *rand.Rand
	answers chan<- answer
	past    []question // asked before
	lease   *lease     // that it extends at times; nil: none yet
}

// maxPast is how many questions a reader remembers to ask again.
const maxPast = 200

// run asks until the writers have finished. What is hot then is asked at rest.
func (r *reader) run(ctx context.Context, finished <-chan struct{}) error {
	for {
		select {
		case <-finished:
			return nil
		default:
		}
		q, hot := r.v.hot.pop()
		if !hot {
			q = r.cold()
		}
		if q.word != "" && q.class != askPlain && q.class != askLatest {
			r.remember(q)
		}
		q.options = drawOptions(r.rng, q.at)
		if q.text != "" || len(q.options.Variants) > 0 || len(q.options.Ranking) > 0 {
			q.options.K = all
		}
		a, err := r.ask(ctx, q)
		if err != nil {
			return err
		}
		select {
		case r.answers <- a:
		case <-ctx.Done():
			return ctx.Err()
		}
		// What is hot is not waited for; only cold questions keep a pace.
		select {
		case <-r.v.hot.more:
		case <-finished:
		case <-time.After(time.Duration(r.rng.Float64() * 2 * float64(r.v.cfg.Rest))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// linesShare is one question in how many is asked for lines.
const linesShare = 4

// ask asks for passages, or at times for lines or by another way.
func (r *reader) ask(ctx context.Context, q question) (answer, error) {
	q.lease = r.leaseFor()
	var a answer
	var err error
	switch n := r.rng.IntN(4 * linesShare); {
	case n < 4:
		l := drawLines(r.rng, q, r.v.sources)
		if q.lease != nil {
			few := leasedLines
			l.request.Limit = &few
		}
		a, err = r.v.askLines(ctx, q, l)
	case n < 8:
		d := r.door(&q)
		a, err = r.v.askDoor(ctx, q, d)
	default:
		if k := q.options.K; k > leasedHits || k == 0 && r.v.cfg.Hits > 0 {
			q.lease = nil // more are asked for than a lease should hold
		} else if q.lease != nil && q.at.path == "" {
			q.options.K = leasedHits
		}
		a, err = r.v.ask(ctx, q)
	}
	r.extended(&a)
	return a, err
}

func (r *reader) remember(q question) {
	if len(r.past) < maxPast {
		r.past = append(r.past, q)
		return
	}
	r.past[r.rng.IntN(maxPast)] = q
}

// cold returns a question that is asked because nothing hotter is there.
func (r *reader) cold() question {
	n := r.rng.IntN(10)
	switch {
	case n < 6 && len(r.past) > 0:
		// With the old token where there is one: it still has to hold.
		q := r.past[r.rng.IntN(len(r.past))]
		if q.class != askToken && q.class != askBeside || r.rng.IntN(2) == 0 || time.Since(q.since) > horizon/2 {
			q = question{class: askOld, word: q.word}
		}
		return q
	case n < 8:
		return question{class: askLatest, word: plainQuery(r.rng), latest: true}
	}
	return question{class: askPlain, word: plainQuery(r.rng)}
}

// ask sends a question and waits for the answer. The error is ctx's only.
func (v *Vulture) ask(ctx context.Context, q question) (answer, error) {
	if q.options.K == 0 {
		q.options.K = v.cfg.Hits
	}
	a := answer{question: q, floor: v.world.acknowledged(), sent: time.Now()}
	request := q.request(v.sources, v.cfg.Deadline)
	request.Lease = a.leaseID()
	a.young = !q.since.IsZero() && a.sent.Sub(q.since) < youngAge
	// The deployment answers by its deadline; the rest is for the way.
	actx, cancel := context.WithTimeout(ctx, 2*max(v.cfg.Deadline, q.deadline))
	defer cancel()
	a.reply, a.err = client.Search.Ask(actx, v.bus.Conn(), request)
	a.news = a.reply.Lease
	a.arrived = time.Now()
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.underway = v.world.underway()
	return a, nil
}
