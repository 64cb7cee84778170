package rpc_test

import (
	"context"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// One service takes the place of another when it says that it answers: then no request
// meets nobody. Before it has its endpoints it does not say so.
func TestServiceWithoutItsEndpoints_IsNotAnsweringYet(t *testing.T) {
	b := bustest.New(t)
	var d rpc.Drainer
	svc, err := rpc.NewService(b, "toucan", "answers", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Stop() })

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if d.Answering(gone) == nil {
		t.Fatal("a service without endpoints answers")
	}
	said := make(chan error, 1)
	go func() { said <- d.Answering(t.Context()) }()
	echo := func(_ context.Context, q question) (question, error) { return q, nil }
	if err := rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "echo", Subject: "toucan.echo"}, echo); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-said:
		t.Fatalf("before it is said to have all: %v", err)
	default:
	}
	d.Drains(svc)
	if err := <-said; err != nil {
		t.Fatal(err)
	}
	if got, err := rpc.Call[question, question](t.Context(), b.Conn(), "toucan.echo", question{7}); got.N != 7 || err != nil {
		t.Errorf("%v, %v, want 7", got, err)
	}
}
