//go:build prove

package e2e

import (
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet"
)

// slowLine passes bytes on to a server on this machine, each block later than it
// came.
type slowLine struct {
	port  int
	delay atomic.Int64 // a time.Duration
}

func newSlowLine(t *testing.T, to int) *slowLine {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	l := &slowLine{port: ln.Addr().(*net.TCPAddr).Port}
	go func() {
		for {
			in, err := ln.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", local(to))
			if err != nil {
				_ = in.Close()
				continue
			}
			go l.carry(in, out)
			go l.carry(out, in)
		}
	}()
	return l
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// carry ends both connections when one ends.
func (l *slowLine) carry(from, to net.Conn) {
	type block struct {
		data []byte
		due  time.Time
	}
	blocks := make(chan block, 1<<16)
	go func() {
		defer func() { _ = from.Close() }()
		defer func() { _ = to.Close() }()
		for b := range blocks {
			time.Sleep(time.Until(b.due)) // the delay is what the line is for
			if _, err := to.Write(b.data); err != nil {
				break
			}
		}
		for range blocks {
		}
	}()
	defer close(blocks)
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			blocks <- block{append([]byte{}, buf[:n]...), time.Now().Add(time.Duration(l.delay.Load()))}
		}
		if err != nil {
			return
		}
	}
}

// freePorts returns ports that nobody listens on.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	out := make([]int, n)
	for i := range out {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		out[i] = ln.Addr().(*net.TCPAddr).Port
	}
	return out
}

// laggards is a cluster of three of which the last knows the others by slow
// lines only.
type laggards struct {
	servers []*server.Server
	lines   []*slowLine
}

func newLaggards(t *testing.T) *laggards {
	t.Helper()
	c := &laggards{}
	ports := freePorts(t, 3)
	start := func(i int, advertise int, routes ...int) {
		text := ""
		for _, p := range routes {
			text += ",nats://" + local(p)
		}
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("heron-%d", i), Host: "127.0.0.1", Port: server.RANDOM_PORT,
			JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "herons", Host: "127.0.0.1", Port: ports[i], Advertise: local(advertise), PoolSize: -1},
			Routes:  server.RoutesFromStr(text[1:]),
		})
		if err != nil {
			t.Fatal(err)
		}
		go s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		c.servers = append(c.servers, s)
	}
	// Nobody reaches the last but by a line, and it nobody else but by one.
	for _, p := range ports {
		c.lines = append(c.lines, newSlowLine(t, p))
	}
	start(0, c.lines[0].port, ports[1])
	start(1, c.lines[1].port, ports[0])
	start(2, c.lines[2].port, c.lines[0].port, c.lines[1].port)
	for _, s := range c.servers {
		if !s.ReadyForConnections(time.Minute) {
			t.Fatal("the cluster does not start")
		}
	}
	c.made(t)
	return c
}

// made makes the log as soon as the three have a leader.
func (c *laggards) made(t *testing.T) {
	t.Helper()
	for {
		b, err := bus.Remote{URL: c.url(0), Replicas: 3}.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = bus.EnsureStreams(t.Context(), b)
		b.Close()
		if err == nil {
			return
		}
		if document.KindOf(err) != document.Unavailable {
			t.Fatal(err)
		}
	}
}

func (c *laggards) url(i int) string { return "nats://" + c.servers[i].Addr().String() }

// delay slows every line down.
func (c *laggards) delay(d time.Duration) {
	for _, l := range c.lines {
		l.delay.Store(int64(d))
	}
}

// lead has each stream of the log led by one of the two that are near each
// other.
func (c *laggards) lead(t *testing.T, b *bus.Bus) {
	t.Helper()
	for _, name := range contract.Streams {
		for {
			s, err := b.JetStream().Stream(t.Context(), name)
			if err == nil {
				if at := s.CachedInfo().Cluster; at != nil && at.Leader != "" {
					if at.Leader != c.servers[2].Name() {
						break
					}
					_, err = b.Conn().Request("$JS.API.STREAM.LEADER.STEPDOWN."+name, nil, 10*time.Second)
				}
			}
			if t.Context().Err() != nil {
				t.Fatalf("no other server leads %s: %v", name, err)
			}
		}
	}
}

// lags reports whether the slow server's own copy of FILES still lacks a version
// that was acknowledged.
func (c *laggards) lags(t *testing.T, token document.Token) bool {
	t.Helper()
	state, err := c.servers[2].Jsz(&server.JSzOptions{Accounts: true, Streams: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, account := range state.AccountDetails {
		for _, stream := range account.Streams {
			if stream.Name == contract.StreamFiles {
				return stream.State.LastSeq < token.Seq
			}
		}
	}
	t.Fatal("the slow server has no copy of FILES")
	return false
}

// TestLaggingReplica_ServesNoOldVersions has one of three servers of the log get
// everything a tenth of a second late, with the program beside the others
// and beside that one.
func TestLaggingReplica_ServesNoOldVersions(t *testing.T) {
	t.Parallel()
	t.Run("beside the others", func(t *testing.T) {
		// Which way two servers reach each other first is theirs to choose, and
		// where the third one found a way without a line it does not lag.
		for range 12 {
			if late := edits(t, 0, 24); late > 0 {
				t.Logf("the slow server lacked the newest version after %d of 24 edits", late)
				return
			}
		}
		t.Error("the slow server was never behind: nothing was provoked")
	})
	// The answer takes long enough for the slow server to catch up.
	t.Run("beside the slow one", func(t *testing.T) { edits(t, 2, 8) })
}

// edits runs the program beside one of the servers, and returns after how many
// edits the slow one was behind. It gives up early where it is not.
func edits(t *testing.T, beside, count int) (late int) {
	t.Helper()
	c := newLaggards(t)
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	r := upWith(t, data, func(o *freshet.Options) {
		o.Config.NATS.URL, o.Config.NATS.Replicas = c.url(beside), 3
	}, root)
	c.lead(t, r.bus)
	c.delay(100 * time.Millisecond)
	now := append([]string{}, words...)
	for round := range count {
		i := round % 5
		path := document.Path(fmt.Sprintf("shelf%d/%s.go", i%3, words[i]))
		next := fmt.Sprintf("Edition%02dth", round)
		write(t, filepath.Join(root, string(path)), goFile(next))
		token := r.look(filepath.Join(root, string(path)))
		if c.lags(t, token) {
			late++
		}
		r.shows(token.String(), next, "library/"+string(path))
		r.shows("latest", now[i], "")
		now[i] = next
		if beside != 2 && round == 2 && late == 0 {
			break
		}
	}
	c.delay(0)
	r.equal()
	r.stop()
	return late
}
