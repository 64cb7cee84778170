package resolve

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/format"
)

// Whatever stands in CHUNKS is shown within its content or refused.
func FuzzDecodeBody(f *testing.F) {
	f.Add("", []byte(`{"contents":[{"hash":"aa","offset":0,"size":0,"chunks":[{"id":"00000000-0000-0000-0000-000000000001"}]}]}`))
	f.Add("", []byte(`{"contents":[{"hash":"aa","offset":9223372036854775807,"size":1,"chunks":[{"end_byte":1}]}]}`))
	f.Add("46", []byte(`{"contents":[{"hash":"a","offset":0,"size":3}]}abc`))
	f.Fuzz(func(t *testing.T, length string, raw []byte) {
		b, err := decodeBody(1, contract.OutputHead{}, length, raw)
		if err != nil {
			return
		}
		for i := range b.contents {
			c := &b.contents[i]
			for _, k := range c.Chunks {
				_ = c.bytes[k.StartByte:k.EndByte]
				if found, in := b.find(k.ID); found == nil || in == nil {
					t.Errorf("chunk %s is not found", k.ID)
				}
			}
			if c.Hash != "" && b.Of(&contract.FileHead{Hash: c.Hash, Format: format.ID(c.Format)}) == nil {
				t.Errorf("content %s is not found", c.Hash)
			}
		}
		if b.cost(len(raw)) < int64(len(raw)) {
			t.Error("it costs less than its bytes")
		}
	})
}
