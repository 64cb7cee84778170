package e2e

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Somebody publishes what is no message of freshet on every kind of subject
// of the log. The next start is ready all the same, and what the folder holds
// is found.
func TestPublishWithoutHeaders_NextStartGetsReady(t *testing.T) {
	root, data := t.TempDir(), t.TempDir()
	write(t, root+"/heron.md", "The heron stands in the weir.\n")
	write(t, root+"/ibis.md", "The ibis wades.\n")
	r := up(t, data, root)
	var subjects []string
	for _, stream := range append(append([]string{}, contract.Streams...), contract.StreamFeedback) {
		s, err := r.bus.JetStream().Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for seq := info.State.FirstSeq; seq <= info.State.LastSeq && info.State.Msgs > 0; seq++ {
			m, err := s.GetMsg(t.Context(), seq)
			if err != nil {
				continue
			}
			subjects = append(subjects, m.Subject)
		}
	}
	subjects = append(subjects, "freshet.files.x.y.z", "freshet.files.x.y._", "freshet.chunks.a.b.c", "freshet.vectors.a.b.c", "freshet.indexed.a.b.c.d", "freshet.dead.chunker.b.c.d", "freshet.dead.x.b.c.d", "freshet.feedback.events.z")
	for _, s := range subjects {
		if _, err := r.bus.JetStream().Publish(t.Context(), s, []byte("not of freshet")); err != nil {
			t.Fatal(s, err)
		}
	}
	r.stop()
	r = up(t, data, root)
	if got := found(r.find("heron", "latest"), "heron"); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if told := strings.Join(r.status().Degraded, "\n"); !strings.Contains(told, "freshet did not write") {
		t.Errorf("the status does not tell: %s", told)
	}
	if list := ask[contract.FeedbackListRequest, contract.FeedbackListReply](t, r.bus, contract.SubjectFeedbackList, contract.FeedbackListRequest{}); len(list.Events) != 0 {
		t.Errorf("garbage is listed as feedback: %+v", list.Events)
	}
	named, _ := r.verify(contract.VerifyRequest{})
	if n := unreadable(named); n == 0 {
		t.Error("verify names none of them")
	}
	r.verify(contract.VerifyRequest{Repair: true})
	left, sum := r.verify(contract.VerifyRequest{})
	if !sum.Equal {
		t.Errorf("left after the repair: %+v", left)
	}
	if told := strings.Join(r.status().Degraded, "\n"); strings.Contains(told, "freshet did not write") {
		t.Errorf("the status after the repair: %s", told)
	}
}

func unreadable(list []contract.Difference) (n int) {
	for _, d := range list {
		if d.What == contract.FaultUnreadable {
			n++
		}
	}
	return n
}
