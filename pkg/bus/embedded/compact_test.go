package embedded_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
)

// churned is a server whose streams are written to, and what they have to hold.
type churned struct {
	t    *testing.T
	cfg  embedded.Config
	srv  *embedded.Server
	b    *bus.Bus
	want map[string]map[uint64]string // by stream and sequence: subject and data
	last map[string]uint64
}

func (c *churned) start() {
	c.t.Helper()
	var err error
	if c.srv, err = embedded.Start(c.cfg); err == nil {
		c.b, err = c.srv.Connect(c.t.Context())
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *churned) stop() {
	c.t.Helper()
	c.b.Close()
	if err := c.srv.Shutdown(); err != nil {
		c.t.Fatal(err)
	}
}

func (c *churned) stream(name string, perSubject int64) {
	c.t.Helper()
	_, err := c.b.JetStream().CreateStream(c.t.Context(), jetstream.StreamConfig{
		Name: name, Subjects: []string{name + ".>"}, Storage: jetstream.FileStorage, MaxMsgsPerSubject: perSubject, FirstSeq: 1 << 30,
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// change writes, deletes and purges by chance, and the last message of all.
func (c *churned) change(random *rand.Rand, name string, perSubject int64, subjects, steps int) {
	c.t.Helper()
	js := c.b.JetStream()
	s, err := js.Stream(c.t.Context(), name)
	if err != nil {
		c.t.Fatal(err)
	}
	for range steps {
		subject := fmt.Sprintf("%s.%d", name, random.IntN(subjects))
		switch n := random.IntN(20); {
		case n < 14:
			size := random.IntN(300)
			if random.IntN(3) == 0 {
				size = random.IntN(200 << 10)
			}
			_, err = js.Publish(c.t.Context(), subject, bytes.Repeat([]byte{byte('a' + random.IntN(26))}, size))
		case n < 19:
			var m *jetstream.RawStreamMsg
			if m, err = s.GetLastMsgForSubject(c.t.Context(), subject); err == nil {
				err = s.DeleteMsg(c.t.Context(), m.Sequence)
			}
		default:
			err = s.Purge(c.t.Context(), jetstream.WithPurgeSubject(subject))
		}
		if err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
			c.t.Fatal(err)
		}
	}
	ack, err := js.Publish(c.t.Context(), name+".end", []byte("end"))
	if err == nil {
		err = s.DeleteMsg(c.t.Context(), ack.Sequence)
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// read returns all messages of a stream, and its last sequence.
func (c *churned) read(name string) (map[uint64]string, uint64) {
	c.t.Helper()
	s, err := c.b.JetStream().Stream(c.t.Context(), name)
	if err != nil {
		c.t.Fatal(err)
	}
	info, err := s.Info(c.t.Context(), jetstream.WithDeletedDetails(true))
	if err != nil {
		c.t.Fatal(err)
	}
	st, all := info.State, map[uint64]string{}
	for seq := st.FirstSeq; seq <= st.LastSeq && st.Msgs > 0; seq++ {
		if _, gone := slices.BinarySearch(st.Deleted, seq); gone {
			continue
		}
		m, err := s.GetMsg(c.t.Context(), seq)
		if err != nil {
			c.t.Fatal(err)
		}
		all[seq] = m.Subject + " " + string(m.Data)
	}
	if len(all) != int(st.Msgs) {
		c.t.Errorf("%s has %d messages, and %d can be read", name, st.Msgs, len(all))
	}
	return all, st.LastSeq
}

func (c *churned) note(names ...string) {
	c.t.Helper()
	c.want, c.last = map[string]map[uint64]string{}, map[string]uint64{}
	for _, name := range names {
		c.want[name], c.last[name] = c.read(name)
	}
}

func (c *churned) check(when string) {
	c.t.Helper()
	for name, want := range c.want {
		got, last := c.read(name)
		if last != c.last[name] {
			c.t.Errorf("%s: %s ends at %d, want %d", when, name, last, c.last[name])
		}
		for seq, text := range want {
			if got[seq] != text {
				c.t.Errorf("%s: message %d of %s is another one or gone", when, seq, name)
			}
		}
		for seq := range got {
			if _, ok := want[seq]; !ok {
				c.t.Errorf("%s: message %d of %s has come back", when, seq, name)
			}
		}
	}
	for _, lost := range mustGlob(c.t, filepath.Join(c.cfg.Dir, "jetstream", "*", "streams", "*", "msgs", "lost*")) {
		c.t.Errorf("%s: the server gave up %s", when, lost)
	}
}

// size is what the blocks of a stream take, and what is in them.
func (c *churned) size(name string) (size int64, held uint64) {
	c.t.Helper()
	for _, path := range mustGlob(c.t, filepath.Join(c.cfg.Dir, "jetstream", "*", "streams", name, "msgs", "*")) {
		info, err := os.Stat(path)
		if err != nil {
			c.t.Fatal(err)
		}
		size += info.Size()
	}
	for seq := range c.want[name] {
		held += uint64(len(c.want[name][seq])) + 30
	}
	return size, held
}

// Whatever was written and removed: after a stop the files hold what the
// streams hold, and the server finds exactly that, with its own index of the
// streams and without.
func TestStopThatMakesRoomInTheLog_KeepsEveryMessageAndItsEnd(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 7))
			c := &churned{t: t, cfg: embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen}}
			c.start()
			shapes := map[string]int64{"one": 1, "any": -1}
			for name, perSubject := range shapes {
				c.stream(name, perSubject)
			}
			for round := range 2 {
				for name, perSubject := range shapes {
					c.change(random, name, perSubject, 1+random.IntN(30), 80)
				}
				if round == 1 { // nothing is left but the end
					s, err := c.b.JetStream().Stream(t.Context(), "one")
					if err == nil {
						err = s.Purge(t.Context(), jetstream.WithPurgeSubject("one.>"))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				c.note("one", "any")
				if err := c.srv.Reclaim(t.Context(), c.b); err != nil {
					t.Fatal(err)
				}
				c.stop()
				for name := range shapes {
					size, held := c.size(name)
					if limit := int64(held)*13/10 + 64<<10; size > limit {
						t.Errorf("%s takes %d bytes, and holds %d", name, size, held)
					}
				}
				c.start()
				c.check("with the index")
				c.stop()
				for _, index := range mustGlob(t, filepath.Join(c.cfg.Dir, "jetstream", "*", "streams", "*", "msgs", "index.db")) {
					if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Fatal(err)
					}
				}
				c.start()
				c.check("without the index")
			}
			c.stop()
		})
	}
}
