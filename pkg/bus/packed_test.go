package bus

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Two streams whose heads have much in common, changed at the same time.
func TestPackedHeads_SayWhatWasPacked(t *testing.T) {
	t.Parallel()
	var all commons
	var streams sync.WaitGroup
	streams.Go(func() { changeFiles(t, &fileHeads{common: &all, now: &standing{}}) })
	for seed := range uint64(2) {
		streams.Go(func() { changeHeads(t, seed, &outputHeads{common: &all}) })
	}
	streams.Wait()
	if n := all.by.Len() + all.wide.Len(); n > 0 {
		t.Errorf("of no heads %d things in common are kept", n)
	}
}

func changeHeads(t *testing.T, seed uint64, packed *outputHeads) {
	random := rand.New(rand.NewPCG(seed, 7))
	want := map[OutputKey]contract.OutputHead{}
	for i := range 20_000 {
		n := random.IntN(40)
		path := document.Path(fmt.Sprintf("folder/file_%d", n))
		k := OutputKey{Generation: "docs-12345678", Sink: document.Sinks[random.IntN(2)], Source: document.Source(fmt.Sprint("s", n%3)), Doc: document.DocOf(path)}
		if random.IntN(3) == 0 {
			packed.Delete(k)
			delete(want, k)
			continue
		}
		// What two heads of one version cover may differ: of one, a view is missing.
		version := document.Version(100*n + random.IntN(3))
		var covers contract.Covers
		for _, view := range []document.View{"main", "next"}[:random.IntN(3)] {
			covers = covers.With(view, contract.Cover{Version: version, Hash: document.HashOf(fmt.Append(nil, version))})
		}
		h := contract.OutputHead{
			Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc, Seq: uint64(i), Path: path,
			Covers: covers, Store: []string{"", "0123456789abcdef"}[n%2], Count: random.IntN(100), Live: n%5 == 0,
		}
		key, kept := packed.Set(k, h)
		want[k] = h
		if key != k || !reflect.DeepEqual(kept, h) {
			t.Fatalf("%+v is kept as %+v", h, kept)
		}
		if got, ok := packed.Get(k); !ok || !reflect.DeepEqual(got, h) {
			t.Fatalf("%+v is %+v (%v)", h, got, ok)
		}
	}
	got := map[OutputKey]contract.OutputHead{}
	for k, h := range packed.All() {
		got[k] = h
	}
	if !reflect.DeepEqual(got, want) || packed.Len() != len(want) {
		t.Errorf("%d heads, want %d, or others", packed.Len(), len(want))
	}
	if h, ok := packed.Get(OutputKey{Generation: "code-12345678"}); ok {
		t.Errorf("what was never there is %+v", h)
	}
	for k := range want {
		packed.Delete(k)
	}
}

// The heads of FILES of the same documents, whose versions are those that the outputs cover.
func changeFiles(t *testing.T, packed *fileHeads) {
	random := rand.New(rand.NewPCG(3, 7))
	want := map[FileKey]contract.FileHead{}
	for i := range 20_000 {
		n := random.IntN(40)
		path := document.Path(fmt.Sprintf("folder/file_%d", n))
		k := FileKey{Source: document.Source(fmt.Sprint("s", n%3)), Doc: document.DocOf(path), View: []document.View{"main", "next"}[random.IntN(2)]}
		if random.IntN(3) == 0 {
			packed.Delete(k)
			delete(want, k)
			continue
		}
		version := document.Version(100*n + random.IntN(3))
		h := contract.FileHead{
			Source: k.Source, Doc: k.Doc, View: k.View, Path: path, Op: contract.OpPut, Size: int64(i), Inode: uint64(n),
			Modified: time.Unix(0, int64(i)+1), Time: time.Unix(0, int64(n)+1), Collection: "docs", Live: n%2 == 0, First: n%5 == 0,
			Hash: document.HashOf(fmt.Append(nil, version)),
		}
		switch n % 4 {
		case 0:
			h.Changed, h.Format = time.Unix(7, 5), "notebook@1"
		case 1:
			h.Commit, h.Blob, h.Ancestors = fmt.Sprint("commit", n), fmt.Sprint("blob", i), "a,b"
		case 2:
			h.Op, h.Hash, h.Reason, h.Modified = contract.OpSkipped, "", "binary", time.Time{}
		default:
			h.Count = i
		}
		h.Version = version
		parsed, err := contract.ParseFileHead(contract.FileSubject(k.Source, k.Doc, k.View), uint64(version), h.Header())
		if err != nil {
			t.Error(err)
			return
		}
		key, kept := packed.Set(k, parsed)
		want[k] = parsed
		if got, ok := packed.Get(k); key != k || !reflect.DeepEqual(kept, parsed) || !ok || !reflect.DeepEqual(got, parsed) {
			t.Errorf("%+v is kept as %+v, and is %+v (%v)", parsed, kept, got, ok)
			return
		}
	}
	got := map[FileKey]contract.FileHead{}
	for k, h := range packed.All() {
		got[k] = h
	}
	if !reflect.DeepEqual(got, want) || packed.Len() != len(want) {
		t.Errorf("%d heads of FILES, want %d, or others", packed.Len(), len(want))
	}
	if h, ok := packed.Get(FileKey{Source: "none"}); ok {
		t.Errorf("what was never there is %+v", h)
	}
	for k := range want {
		packed.Delete(k)
	}
}

// A field that is added to a head has to be packed, too.
func TestEveryFieldOfAHeadOfFiles_IsPacked(t *testing.T) {
	var h contract.FileHead
	fields := reflect.ValueOf(&h).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(time.Unix(5, int64(i))))
		case contract.SourceRules:
			f.Set(reflect.ValueOf(contract.SourceRulesOf("rules: []")))
		default:
			switch f.Kind() {
			case reflect.String:
				f.SetString(fmt.Sprint("field ", i))
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Int, reflect.Int64:
				f.SetInt(int64(i) + 1)
			case reflect.Uint64:
				f.SetUint(uint64(i) + 1)
			default:
				t.Fatalf("%s is of a kind that nothing is known of here", fields.Type().Field(i).Name)
			}
		}
	}
	h.Doc = document.AccessDoc // whose rules every head of the view has
	k := FileKey{h.Source, h.Doc, h.View}
	packed := &fileHeads{common: &commons{}, now: &standing{}}
	packed.Set(k, h)
	if got, _ := packed.Get(k); !reflect.DeepEqual(got, h) {
		t.Errorf("%+v is kept as %+v", h, got)
	}
}
