package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// sha returns a commit's id that begins like this.
func sha(begin string) string { return begin + strings.Repeat("0", 40-len(begin)) }

// marked publishes the marker of a view, as the watcher does behind a
// comparison.
func (r *rig) marked(name, commit string, before ...string) uint64 {
	r.Helper()
	source, _, view := at(name)
	head := contract.FileHead{Op: contract.OpMarker, Commit: commit, Ancestors: strings.Join(before, ","), Time: time.Now()}
	subject := contract.FileSubject(source, document.MarkerDoc, view)
	return r.publish(bus.Out{Subject: subject, Header: head.Header(), Expect: seqOf(r.last(contract.StreamFiles, subject))})
}

func (r *rig) byCommit(commit string, deadline time.Duration) contract.SearchReply {
	r.Helper()
	return r.search(contract.SearchRequest{Query: "walrus", Commit: commit, DeadlineMS: int(deadline.Milliseconds())})
}

// awaiting gives the answer of a search that waits for a commit.
func (r *rig) awaiting(commit string) <-chan contract.SearchReply {
	answered := make(chan contract.SearchReply, 1)
	go func() {
		reply, err := r.ask(contract.SearchRequest{Query: "walrus", Commit: commit, DeadlineMS: 60_000})
		if err != nil {
			r.Error(err)
		}
		answered <- reply
	}()
	return answered
}

func unseen(reply contract.SearchReply) bool {
	return slices.ContainsFunc(reply.Degraded, func(s string) bool { return strings.Contains(s, "has not been seen") })
}

func TestCommit_IsAnsweredOnceTheSinksShowIt(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "func walrus() {}\n")
	marker := r.marked("s:", sha("aa11"))
	answered := r.awaiting(sha("aa11"))
	r.cut("a.go")
	r.index("a.go", document.Lexical)
	select {
	case reply := <-answered:
		t.Errorf("answered before the vector sink has it: %+v", reply)
	default:
	}
	r.index("a.go", document.Vector)
	reply := <-answered
	if len(reply.Hits) != 1 || len(reply.Pending) > 0 || unseen(reply) || reply.Token.Seq < marker {
		t.Errorf("%+v", reply)
	}
}

func TestCommitThatComesLater_IsWaitedFor(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "func other() {}\n")
	r.marked("s:", sha("aa11"))
	answered := r.awaiting("BB22")
	r.stored("b.go", "func walrus() {}\n")
	marker := r.marked("s:", sha("cc33"), sha("bb22"), sha("aa11"))
	reply := <-answered
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "b.go" || reply.Token.Seq < marker || unseen(reply) {
		t.Errorf("%+v", reply)
	}
	// The one before is reached as well: the present one includes it.
	if reply := r.byCommit(sha("aa11"), time.Second); unseen(reply) {
		t.Errorf("%+v", reply)
	}
}

func TestCommitThatWasNotSeen_IsSaidToBeUnseen(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.sources = append(r.sources, contract.SourceInfo{Source: "other", Watched: true}, contract.SourceInfo{Source: "plain", Watched: true})
	})
	r.stored("a.go", "func walrus() {}\n")
	r.stored("plain:a.go", "func seal() {}\n")
	r.marked("s:", sha("aa11"))
	r.marked("s:@branch", sha("bb22"))
	r.marked("other:", sha("cc33"))
	r.marked("plain:", "")
	for name, c := range map[string]struct {
		commit string
		filter contract.Filter
		seen   bool
	}{
		"known":            {"aa11", contract.Filter{}, true},
		"never":            {"dd44", contract.Filter{}, false},
		"another source's": {"cc33", contract.Filter{Sources: []document.Source{"s"}}, false},
		"another view's":   {"bb22", contract.Filter{Views: []document.View{document.Worktree}}, false},
		"this view's":      {"bb22", contract.Filter{Views: []document.View{"branch"}}, true},
		"no repository":    {"aa11", contract.Filter{Sources: []document.Source{"plain"}}, false},
	} {
		reply := r.search(contract.SearchRequest{Query: "walrus seal", Commit: c.commit, Filter: c.filter, DeadlineMS: 300})
		if unseen(reply) == c.seen {
			t.Errorf("%s: %+v", name, reply)
		}
		if name == "never" && (len(reply.Hits) == 0 || !strings.Contains(strings.Join(reply.Degraded, " "), "other at cc3300000000, s at aa1100000000, s at bb2200000000")) {
			t.Errorf("%s: %+v", name, reply)
		}
	}
	// A branch that went back does not include what it left out.
	r.marked("s:", sha("ee55"), sha("aa11"))
	r.marked("s:", sha("aa11"))
	if reply := r.byCommit("ee55", 300*time.Millisecond); !unseen(reply) {
		t.Errorf("a commit that was taken back: %+v", reply)
	}
}

// Of several sources that follow the same repository, each is waited for that
// has the commit.
func TestCommitOfTwoSources_IsWaitedForInBoth(t *testing.T) {
	r := newRig(t, func(r *rig) {
		r.sources = append(r.sources, contract.SourceInfo{Source: "mirror", Watched: true})
	})
	r.stored("a.go", "func walrus() {}\n")
	r.marked("s:", sha("aa11"))
	r.write("mirror:a.go", "func walrus() {}\n")
	r.marked("mirror:", sha("aa11"))
	reply := r.byCommit("aa11", 300*time.Millisecond)
	if len(reply.Pending) != 1 || reply.Pending[0].Source != "mirror" || unseen(reply) {
		t.Errorf("%+v", reply)
	}
}

func TestWrongCommit_IsRefused(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "func walrus() {}\n")
	r.marked("s:", sha("aa11"), sha("aa1122"))
	for commit, says := range map[string]string{
		"HEAD": "no id", "aa1": "4 to 64", strings.Repeat("a", 65): "4 to 64", "aa11": "several commits begin with aa11",
	} {
		_, err := r.ask(contract.SearchRequest{Query: "walrus", Commit: commit})
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", commit, err, says)
		}
	}
	if reply := r.byCommit("aa1122", time.Second); unseen(reply) {
		t.Errorf("%+v", reply)
	}
}
