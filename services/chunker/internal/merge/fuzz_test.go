package merge

import (
	"bytes"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A message that can be read has every passage within its content, and comes
// back as it is.
func FuzzDecode(f *testing.F) {
	f.Add("worktree=7:aa", "", []byte(`{"path":"a","contents":[{"hash":"aa","offset":0,"size":0,"chunks":[{"start_byte":0,"end_byte":0}]}]}`))
	f.Add("", "62", []byte(`{"path":"a","contents":[{"hash":"aa","offset":1,"size":2}]}    abc`))
	f.Add("", "", []byte(`{"contents":[{"offset":9223372036854775807,"size":1}]}`))
	f.Add("", "", []byte(`{"contents":[{"offset":1,"size":9223372036854775807}]}`))
	f.Fuzz(func(t *testing.T, covers, length string, body []byte) {
		header := nats.Header{contract.HeaderCovers: {covers}}
		if length != "" {
			header[contract.HeaderMeta] = []string{length}
		}
		s, err := Decode(header, body)
		if err != nil {
			return
		}
		for _, c := range s.Contents {
			for _, k := range c.Chunks {
				_ = c.Text[k.StartByte:k.EndByte]
			}
		}
		h, b, err := Encode(contract.OutputHead{Path: "a"}, "code", s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(h, b)
		if err != nil || len(again.Contents) != len(s.Contents) {
			t.Fatalf("%q comes back with %d of %d contents: %v", body, len(again.Contents), len(s.Contents), err)
		}
		for i := range s.Contents {
			if !bytes.Equal(s.Contents[i].Text, again.Contents[i].Text) {
				t.Errorf("content %d comes back as another", i)
			}
		}
	})
}
