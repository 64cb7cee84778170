package bus_test

import (
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// natsCluster starts servers that know each other, and returns the address of
// one that can make streams.
func natsCluster(t *testing.T, size int) string {
	t.Helper()
	ports := make([]int, size)
	for i := range ports {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		ports[i] = ln.Addr().(*net.TCPAddr).Port
		_ = ln.Close()
	}
	var routes string
	for _, p := range ports {
		routes += ",nats://127.0.0.1:" + strconv.Itoa(p)
	}
	servers := make([]*server.Server, size)
	for i := range servers {
		o := &server.Options{
			ServerName: fmt.Sprintf("heron-%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT,
			JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "herons", Host: "127.0.0.1", Port: ports[i]},
			Routes:  server.RoutesFromStr(routes[1:]),
		}
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		servers[i] = s
	}
	for _, s := range servers {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("the cluster does not start")
		}
	}
	return url(servers[0])
}

func TestLog_HasAsManyCopiesAsConfigured(t *testing.T) {
	at := natsCluster(t, 3)
	last := uint64(0)
	for _, replicas := range []int{1, 3} { // more are made of what is there
		b := made(t, bus.Remote{URL: at, Replicas: replicas})
		names := append([]string{"KV_" + contract.BucketMeta, "KV_" + contract.BucketSources, "OBJ_" + contract.BucketBodies, contract.StreamFeedback}, contract.Streams...)
		for _, name := range names {
			s, err := b.JetStream().Stream(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			if have := s.CachedInfo().Config.Replicas; have != replicas {
				t.Errorf("%s has %d copies, not %d", name, have, replicas)
			}
		}
		last = put(t, b, "a.go", fmt.Sprint(replicas), last)
		if err := b.Files().Wait(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		b.Close()
	}
}

// made connects and makes the log, as soon as the cluster has a leader.
func made(t *testing.T, r bus.Remote) *bus.Bus {
	t.Helper()
	for {
		b, err := r.Connect(t.Context())
		if err == nil {
			if err = bus.EnsureStreams(t.Context(), b); err == nil {
				return b
			}
			b.Close()
		}
		if document.KindOf(err) != document.Unavailable {
			t.Fatal(err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal(err)
		}
	}
}
