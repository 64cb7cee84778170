package contract_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// headerOf reads "Name: value" lines, as a fuzzer can write them.
func headerOf(text string) nats.Header {
	h := nats.Header{}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		h[name] = append(h[name], strings.TrimSpace(value))
	}
	return h
}

// What is read of a head's headers must come back when it is written again.
func FuzzHeads_ComeBack(f *testing.F) {
	f.Add("freshet.files.s.d.worktree", uint64(7), "Freshet-Path:a%0Ab\nFreshet-Op:put\nFreshet-Size:-1\nFreshet-Modified:99999999999999999999\nFreshet-Inode:x\nFreshet-Changed:-\nFreshet-Time:1\nFreshet-Live:0")
	f.Add("freshet.files.s._.main", uint64(0), "Freshet-Op:marker\nFreshet-Count:-3\nFreshet-Commit:ab")
	f.Add("freshet.files.s."+string(document.AccessDoc)+".main", uint64(9), "Freshet-Path:.freshetaccess\nFreshet-Op:put\nFreshet-Access:cnVsZXM6AHJ1bGVz")
	f.Add("freshet.chunks.g.s.d", uint64(1), "Freshet-Path:a\nFreshet-Covers:main=5:aa;worktree=7:\nFreshet-Count:2")
	f.Add("freshet.indexed.g.vector.s.d", uint64(1), "Freshet-Store:x\nFreshet-Covers:;\nFreshet-Live:1")
	f.Add("freshet.dead.chunker.s.d.b", uint64(3), "Freshet-Reason:a%0Ab%\nFreshet-Attempts:4\nFreshet-Op:delete\nFreshet-Covers:a=1:")
	f.Fuzz(func(t *testing.T, subject string, seq uint64, text string) {
		header := headerOf(text)
		if h, err := contract.ParseFileHead(subject, seq, header); err == nil {
			again, err := contract.ParseFileHead(subject, seq, h.Header())
			if h.Op != contract.OpPut && h.Op != contract.OpSkipped {
				h.Size = 0 // stands with content only
			}
			if h.Op != contract.OpMarker {
				h.Count = 0
			}
			if err != nil || !reflect.DeepEqual(h, again) {
				t.Errorf("the version %+v comes back as %+v, %v", h, again, err)
			}
		}
		if h, err := contract.ParseOutputHead(subject, seq, header); err == nil {
			again, err := contract.ParseOutputHead(subject, seq, h.Header())
			if err != nil || !reflect.DeepEqual(h, again) {
				t.Errorf("the output %+v comes back as %+v, %v", h, again, err)
			}
		}
		if h, err := contract.ParseDeadHead(subject, seq, header); err == nil && len(h.Reason) < 8<<10 {
			again, err := contract.ParseDeadHead(subject, seq, h.Header())
			if err != nil || !reflect.DeepEqual(h, again) {
				t.Errorf("the dead letter %+v comes back as %+v, %v", h, again, err)
			}
		}
	})
}

// An error that quotes what it could not read may be long. The log refuses
// headers of more than 64 KiB, and a dead letter that cannot be written is
// tried for ever.
func TestReasonOfAMegabyte_FitsIntoADeadLetter(t *testing.T) {
	for _, reason := range []string{strings.Repeat("\x00", 1<<20), strings.Repeat("é", 1<<20), "short"} {
		size := 0
		for name, values := range (contract.DeadHead{Path: "a", Reason: reason}).Header() {
			size += len(name) + len(values[0])
		}
		if size > 32<<10 {
			t.Errorf("the headers have %d bytes", size)
		}
	}
}

// The quicker decoder of bodies reads what Go's own reads, in the same way.
func FuzzBodies_AreReadAsByGoItself(f *testing.F) {
	for i, s := range []string{
		`{"path":"a","collection":"code","contents":[{"hash":"x","offset":1,"size":-1,"chunks":[{"id":"00000000-0000-0000-0000-000000000000","start_byte":1}]}]}`,
		`{"path":"a","dims":-2,"ids":["00000000-0000-0000-0000-000000000000"],"scales":[1e-9],"attrs":[{"kind":"k"}],"bare":[]}`,
		`{"ids":["x"],"bare":null}`, `{"stage":"chunker","versions":{"a":18446744073709551615},"reason":"\ud800"}`, `[[[[`, `{"ids":`, "{\"path\":\"\xff\"}",
	} {
		f.Add(uint8(i), []byte(s))
	}
	f.Fuzz(func(t *testing.T, kind uint8, body []byte) {
		empty := []func() any{
			func() any { return &contract.ChunksBody{} }, func() any { return &contract.VectorsBody{} },
			func() any { return &contract.IndexedBody{} }, func() any { return &contract.DeadBody{} },
		}[kind%4]
		quick, own := empty(), empty()
		_, err := contract.SplitBody(nats.Header{}, body, quick)
		if json.Unmarshal(body, own) != nil || err != nil {
			return // either refuses; what counts is that neither panics
		}
		if !reflect.DeepEqual(quick, own) {
			t.Errorf("%q is read as %+v and as %+v", body, quick, own)
		}
	})
}
