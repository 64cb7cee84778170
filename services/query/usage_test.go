package query

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// What is asked is counted by its way, with the text that is given and the whole of what
// is named, and outlives the process.
func TestQuestion_IsCountedByItsWay(t *testing.T) {
	r := newRig(t)
	retries(r)
	text := "func Retry(c Config) {\n\tBackoff(c)\n}\n"
	agent := rpc.Through(t.Context(), contract.WayAgent)
	reply, err := client.Read.Ask(agent, r.bus.Conn(), contract.ReadRequest{Path: "net/retry.go", To: 1})
	if err != nil || reply.Text != "func Retry(c Config) {\n" {
		t.Fatalf("%+v, %v", reply, err)
	}
	if _, err := client.Read.Ask(agent, r.bus.Conn(), contract.ReadRequest{Path: "net/none.go"}); err == nil {
		t.Fatal("there is such a document")
	}
	if _, err := client.Outline.Ask(rpc.Through(t.Context(), "a guess"), r.bus.Conn(), contract.OutlineRequest{Path: "net/retry.go"}); err != nil {
		t.Fatal(err)
	}
	want := []contract.Usage{{Way: contract.WayAgent, Questions: 1, Given: uint64(len(reply.Text)), Whole: uint64(len(text))}, {Way: contract.WayOther, Questions: 1, Given: 5, Whole: uint64(len(text))}}
	wants := func(what string) {
		t.Helper()
		st, err := client.Status.Ask(t.Context(), r.bus.Conn(), client.None)
		if err != nil || len(st.Usage) != 2 || st.Usage[0] != want[0] || st.Usage[1] != want[1] {
			t.Errorf("%s: %+v, and not %+v: %v", what, st.Usage, want, err)
		}
	}
	wants("before it is kept")
	for range 2 {
		if err := r.svc.usage.keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		wants("kept")
	}
	again := newUsage(r.bus) // another process
	if total, err := again.total(t.Context()); err != nil || len(total) != 2 || total[0] != want[0] {
		t.Errorf("another process knows of %+v: %v", total, err)
	}
	again.add(agent, 7, &seen{})
	if err := again.keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	want[0].Questions, want[0].Given = 2, want[0].Given+7
	wants("by two processes")
}
