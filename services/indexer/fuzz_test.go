package indexer

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Whatever stands in CHUNKS or VECTORS is indexed or refused.
func FuzzOutputs_AreIndexedOrRefused(f *testing.F) {
	f.Add("", []byte(`{"contents":[{"hash":"aa","offset":0,"size":0,"chunks":[{"id":"00000000-0000-0000-0000-000000000001"}]}]}`))
	f.Add("", []byte(`{"contents":[{"offset":9223372036854775807,"size":1,"chunks":[{"end_byte":1}]}]}`))
	f.Add("", []byte(`{"contents":[{"offset":1,"size":9223372036854775807,"chunks":[{"end_byte":1}]}]}`))
	f.Add("", []byte(`{"dims":4611686018427387904,"ids":["00000000-0000-0000-0000-000000000001","00000000-0000-0000-0000-000000000001","00000000-0000-0000-0000-000000000001","00000000-0000-0000-0000-000000000001"],"scales":[1,1,1,1],"attrs":[{},{},{},{}]}`))
	f.Add("", []byte(`{"dims":-1,"ids":[],"scales":[],"attrs":[]}`))
	f.Add("100", []byte(`{"dims":1,"ids":["00000000-0000-0000-0000-000000000001"],"scales":[1],"attrs":[{}]}`+strings.Repeat(" ", 30)+"x"))
	a := analysis.New()
	f.Fuzz(func(t *testing.T, length string, body []byte) {
		header := func(name string) string {
			if name == contract.HeaderMeta {
				return length
			}
			return ""
		}
		in := contract.OutputHead{Source: "s", Doc: "d", Path: "a/b.go"}
		if w, err := decodeChunks(a)(in, header, body); err == nil {
			for i, id := range w.ids {
				if e := w.entry(i); e.ID != id {
					t.Errorf("passage %d is %s and %s", i, id, e.ID)
				}
			}
		}
		if w, err := decodeVectors(in, header, body); err == nil {
			for i, id := range w.ids {
				if e := w.entry(i); e.ID != id {
					t.Errorf("vector %d is of %s and %s", i, id, e.ID)
				}
			}
		}
	})
}
