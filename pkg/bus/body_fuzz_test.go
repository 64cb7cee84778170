package bus

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// bound stands for maxBody, which takes long to reach.
const bound = 4 << 20

// FuzzCompressedBody checks that what is no compressed body is an error, and
// that a small message never becomes more than the bound.
func FuzzCompressedBody(f *testing.F) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		f.Fatal(err)
	}
	dec, err := newDecoder(bound)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(dec.Close)
	f.Add(enc.EncodeAll([]byte("text"), nil))
	f.Add(enc.EncodeAll(bytes.Repeat([]byte{0}, 1<<20), nil))
	f.Add([]byte("\x28\xb5\x2f\xfd\xe0\xff\xff\xff\xff\xff\xff\xff\x7f"))
	f.Add([]byte{})
	b := &Bus{dec: dec}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &Msg{Header: nats.Header{contract.HeaderEncoding: {"zstd"}}, bus: b, data: data}
		body, err := m.Body(t.Context())
		if err == nil && len(body) > bound {
			t.Errorf("%d bytes became %d", len(data), len(body))
		}
		if err == nil {
			m.data = enc.EncodeAll(body, nil)
			if again, err := m.Body(t.Context()); err != nil || !bytes.Equal(again, body) {
				t.Errorf("%d bytes come back as %d, %v", len(body), len(again), err)
			}
		}
	})
}

// A bomb of a thousand to one becomes an error, not a body beyond the bound.
func TestCompressedBomb_IsAnError(t *testing.T) {
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := newDecoder(bound)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	bomb := bytes.Repeat(enc.EncodeAll(make([]byte, 1<<20), nil), bound>>20+1)
	m := &Msg{Header: nats.Header{contract.HeaderEncoding: {"zstd"}}, bus: &Bus{dec: dec}, data: bomb}
	if body, err := m.Body(t.Context()); err == nil {
		t.Errorf("%d bytes became %d", len(bomb), len(body))
	}
	m.data = enc.EncodeAll(make([]byte, bound+1), nil) // in one piece
	if body, err := m.Body(t.Context()); err == nil {
		t.Errorf("%d bytes became %d", len(m.data), len(body))
	}
}
