package parser

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Frames come back as they were written, and nothing that a child writes makes
// its parent fail: spans that it names outside of the content are refused.
func FuzzFramesOfAChild(f *testing.F) {
	var whole bytes.Buffer
	if err := writeFrames(&whole, []byte(`{"spans":[{"start_byte":0,"end_byte":3,"start_line":1,"end_line":1}]}`), nil); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes(), []byte("abc"))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, []byte{})
	f.Add([]byte{0, 0, 0, 9, '{'}, []byte("x"))
	f.Fuzz(func(t *testing.T, stream, content []byte) {
		if len(stream) > 3 && stream[0] > 0 {
			return // up to frameLimit is taken for good: only memory is to be seen there
		}
		r := bytes.NewReader(stream)
		frame, err := readFrame(r)
		if err != nil {
			return
		}
		var back bytes.Buffer
		if err := writeFrames(&back, frame); err != nil || !bytes.Equal(back.Bytes(), stream[:len(stream)-r.Len()]) {
			t.Fatalf("%q comes back as %q, %v", stream, back.Bytes(), err)
		}
		var rep reply
		if json.Unmarshal(frame, &rep) != nil {
			return
		}
		if split.Verify(content, rep.Spans, true) == nil {
			for _, s := range rep.Spans {
				_ = content[s.StartByte:s.EndByte]
			}
		}
	})
}
