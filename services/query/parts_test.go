package query

import (
	"errors"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// reported is an issue whose headline is about one file, and whose many words are
// those of others.
const reported = `Retry counter overflows after a pause

When the queue is full, the writer stops, the reader drains the queue, and the
writer starts again: queue, writer and reader are as in the test below. The queue
drains, the writer fills the queue, the reader drains it, and so on.
`

// queues are files that have the words of the issue, and not those of its headline.
func queues(r *rig) {
	r.stored("retry.go", "package retry\n\n// Counter counts retries.\nfunc Counter() { overflow(pause) }\n")
	for _, name := range []string{"queue", "writer", "reader"} {
		r.stored(name+".go", "package queue\n\n// The writer fills the queue, the reader drains the queue.\nfunc "+name+"() { queue.writer(reader.drain); queue.full(); writer.stop(); reader.start() }\n")
	}
	r.stored("queue_test.go", "package queue\n\n// The writer fills the queue, the reader drains the queue: retry counter overflows after a pause.\nfunc TestQueue() { queue.writer(reader) }\n")
	r.stored("CHANGES.md", "# Changes\n\nThe retry counter of queue, writer and reader overflows after a pause; the queue drains.\n")
}

func TestHeadlineOfAnIssue_IsSearchedForItself(t *testing.T) {
	r := newRig(t)
	queues(r)
	reply := r.search(contract.SearchRequest{Query: reported, Explain: true, Off: []string{"vector"}})
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "retry.go" || reply.Hits[0].Channels["part"].Rank == 0 {
		t.Errorf("%s, trace %+v", strings.Join(paths(reply), " "), reply.Trace)
	}
	for _, stage := range []string{"parts", "join"} {
		if s := traced(reply, stage); s == nil || s.Out == 0 {
			t.Errorf("%s: %+v", stage, s)
		}
	}
	whole := r.search(contract.SearchRequest{Query: reported, Explain: true, Off: []string{"vector", "parts"}})
	if whole.Hits[0].Path == "retry.go" || traced(whole, "parts") != nil || traced(whole, "join") != nil {
		t.Errorf("in one part: %s, trace %+v", strings.Join(paths(whole), " "), whole.Trace)
	}
}

// Whoever reports something looks for files.
func TestIssue_IsAnsweredByEachFileOnce(t *testing.T) {
	r := newRig(t)
	queues(r)
	var b strings.Builder
	b.WriteString("package queue\n")
	for _, name := range []string{"One", "Two", "Three"} {
		b.WriteString("\n// " + name + " is long." + strings.Repeat("\n// retry counter overflow queue writer reader pause", 30) + "\nfunc " + name + "() { retry.counter(overflow, pause) }\n")
	}
	r.stored("big.go", b.String())
	k := 6 // of seven files
	for i, want := range []bool{false, true} {
		in := contract.SearchRequest{Query: reported, K: &k, Off: []string{"vector"}}
		if want {
			in.Off = append(in.Off, "parts")
		}
		seen, twice := map[string]bool{}, false
		for _, p := range paths(r.search(in)) {
			twice = twice || seen[p]
			seen[p] = true
		}
		if twice != want {
			t.Errorf("%d: a file stands twice: %v", i, twice)
		}
	}
}

func TestHeadlineIsNotSearchedInTime_AnswerComesWithoutIt(t *testing.T) {
	r := newRig(t)
	queues(r)
	searches := 0
	r.lexical.then = func() {
		if searches++; searches == 1 {
			r.lexical.fail(errors.New("connection refused"))
		}
	}
	reply, err := r.ask(contract.SearchRequest{Query: reported, Off: []string{"vector"}, Explain: true})
	if err != nil || len(reply.Hits) == 0 {
		t.Fatalf("%d hits, %v", len(reply.Hits), err)
	}
	if s := traced(reply, "parts"); s == nil || s.Out != 0 || s.Note == "" {
		t.Errorf("trace %+v", reply.Trace)
	}
}
