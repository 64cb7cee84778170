package bus

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// natsServer is a server in the test's process, bare of what package embedded
// adds to it.
type natsServer struct{ *server.Server }

func startServer(t *testing.T, dir string) natsServer {
	t.Helper()
	ns, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, MaxPayload: 8 << 20, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not get ready")
	}
	return natsServer{ns}
}

func (s natsServer) connect(ctx context.Context) (*Bus, error) {
	return Remote{URL: s.ClientURL()}.ConnectStarted(ctx, Started{}, nats.InProcessServer(s))
}

func (s natsServer) stop() {
	s.Shutdown()
	s.WaitForShutdown()
}
