package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// A log on a machine that is short of everything takes a while to answer. Who is
// in no hurry waits for it.
func TestSlowLog_IsWaitedFor(t *testing.T) {
	t.Parallel()
	s := natsServer(t, func(o *server.Options) { o.JetStream = false })
	slow, err := nats.Connect(url(s))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(slow.Close)
	const delay = 6 * time.Second // more than the library's own patience
	_, err = slow.Subscribe("$JS.API.STREAM.INFO.*", func(m *nats.Msg) {
		time.AfterFunc(delay, func() { _ = m.Respond([]byte(`{"config":{"name":"FILES"},"state":{"last_seq":7}}`)) })
	})
	if err == nil {
		err = slow.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := bus.Remote{URL: url(s)}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if seq, err := b.LastSeq(t.Context(), contract.StreamFiles); err != nil || seq != 7 {
		t.Errorf("the last sequence is %d: %v", seq, err)
	}
	if _, err := b.JetStream().Stream(context.WithoutCancel(t.Context()), contract.StreamFiles); err != nil {
		t.Error(err)
	}
}
