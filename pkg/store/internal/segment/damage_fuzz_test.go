package segment_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store"
)

// FuzzDamagedFile changes any file of a snapshot in any way: the store is what
// it was, or says that it begins anew. It never answers with less in silence.
func FuzzDamagedFile(f *testing.F) {
	type whole struct {
		engine engine
		files  map[string][]byte
		names  []string
		mark   store.Mark
	}
	var wholes []whole
	for _, name := range []string{"flat", "postings"} {
		e := engines[name]
		files, mark := snapshot(f, e)
		wholes = append(wholes, whole{e, files, slices.Sorted(maps.Keys(files)), mark})
	}
	f.Add(uint8(0), uint8(0), uint32(0), []byte{0xff}, uint32(1))
	f.Add(uint8(1), uint8(1), uint32(40), []byte{}, uint32(7))
	f.Add(uint8(0), uint8(2), uint32(100), []byte("more"), uint32(0))
	f.Fuzz(func(t *testing.T, which, file uint8, at uint32, put []byte, drop uint32) {
		w := wholes[int(which)%len(wholes)]
		name := w.names[int(file)%len(w.names)]
		data := slices.Clone(w.files[name])
		from := int(at) % (len(data) + 1)
		to := min(from+int(drop%64), len(data))
		broken := maps.Clone(w.files)
		broken[name] = slices.Replace(data, from, to, put...)
		dir := t.TempDir()
		writeFiles(t, dir, broken)
		s, err := w.engine.open(dir, 0)
		if err != nil {
			return // of a newer format, or of another kind
		}
		if s.Recovered() != "" {
			if markOf(t, s) != (store.Mark{}) {
				t.Errorf("a store that begins anew has the mark %+v", markOf(t, s))
			}
			holds(t, s, nil)
		} else {
			if markOf(t, s) != w.mark {
				t.Errorf("the mark is %+v, it was %+v", markOf(t, s), w.mark)
			}
			holds(t, s, append(span(0, 10), span(20, 280)...))
		}
		mustClose(t, s)
	})
}
