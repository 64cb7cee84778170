package query

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The only handler waits for a token; behind it waits a question with less time.
func TestQuestionThatWaited_HasWhatIsLeftOfItsDeadline(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Concurrency = 1 })
	nc := r.bus.Conn()
	token := r.write("a.go", "alpha walrus\n")
	answers, err := nc.SubscribeSync(nc.NewInbox() + ".*")
	if err != nil {
		t.Fatal(err)
	}
	inbox := answers.Subject[:len(answers.Subject)-1]
	publish := func(name, body string, header nats.Header) {
		m := &nats.Msg{Subject: contract.SubjectSearch, Reply: inbox + name, Data: []byte(body), Header: header}
		if err := nc.PublishMsg(m); err != nil {
			t.Fatal(err)
		}
	}
	next := func() (name string, m *nats.Msg) {
		m, err := answers.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return m.Subject[len(inbox):], m
	}
	publish("first", `{"query":"walrus","token":"`+token.String()+`","deadline_ms":60000}`, nil)
	publish("second", `{"query":"walrus","deadline_ms":50}`, nil)
	publish("wrong", `{}`, nats.Header{"Freshet-Deadline-Ms": {"none"}})
	if name, m := next(); name != "wrong" || m.Header.Get(micro.ErrorCodeHeader) == "" {
		t.Fatalf("%s is answered with %s", name, m.Data)
	}
	// Both have arrived. The status is no search, and does not wait with them.
	if _, err := client.Status.Ask(t.Context(), nc, client.None); err != nil {
		t.Errorf("status while searches wait: %v", err)
	}
	<-time.After(60 * time.Millisecond)
	r.settle("a.go")
	if name, m := next(); name != "first" || m.Header.Get(micro.ErrorCodeHeader) != "" {
		t.Fatalf("%s is answered with %s", name, m.Data)
	}
	if _, m := next(); m.Header.Get(micro.ErrorCodeHeader) != string(document.Deadline) {
		t.Errorf("after its deadline the second is answered with %s", m.Data)
	}
}
