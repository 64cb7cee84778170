package bus

import (
	"iter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

// fileHeads holds the heads of FILES: each takes a few words, and shares what the
// outputs made of that version say alike.
type fileHeads struct {
	common *commons
	groups index[fileGroup]
	alike  index[fileLike]
	heads  shrink.Map[packedKey, packedFile]
	// access are the rules that stand in each group, by its number; those that hold
	// now are told without the lock of the table, too.
	access []contract.SourceRules
	now    *standing
}

// fileGroup is what many keys have in common.
type fileGroup struct {
	source document.Source
	view   document.View
}

type packedFile struct {
	*common
	size                    int64
	inode                   uint64
	modified, changed, time int64 // nanoseconds since 1970, 0 for none
	rare                    *rareFile
	like                    uint32
	live, first             bool
}

// fileLike is what many heads of FILES say alike.
type fileLike struct {
	op         contract.Op
	collection document.Collection
	format     format.ID
	grammar    string
}

// rareFile is what a file in a folder that is indexed does not have.
type rareFile struct {
	commit, ancestors, blob, reason string
	metadata                        document.PackedMetadata
	count                           int
}

func nanoseconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func moment(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns)
}

func (f *fileHeads) packed(k FileKey) (packedKey, bool) {
	n, ok := f.groups.find(fileGroup{k.Source, k.View})
	return packedKey{n, k.Doc}, ok
}

func (f *fileHeads) head(k packedKey, p packedFile) (FileKey, contract.FileHead) {
	g, like := f.groups.list[k.group], f.alike.list[p.like]
	cover := p.covers.At(g.view)
	h := contract.FileHead{
		Source: g.source, Doc: p.doc, View: g.view, Version: cover.Version, Path: p.path, Op: like.op, Hash: cover.Hash,
		Size: p.size, Modified: moment(p.modified), Inode: p.inode, Changed: moment(p.changed), Collection: like.collection,
		Time: moment(p.time), Live: p.live, First: p.first, Format: like.format, Grammar: like.grammar, Access: f.access[k.group],
	}
	if r := p.rare; r != nil {
		h.Commit, h.Ancestors, h.Blob, h.Reason, h.Metadata, h.Count = r.commit, r.ancestors, r.blob, r.reason, r.metadata, r.count
	}
	return FileKey{g.source, p.doc, g.view}, h
}

func (f *fileHeads) Get(k FileKey) (contract.FileHead, bool) {
	key, ok := f.packed(k)
	if !ok {
		return contract.FileHead{}, false
	}
	p, ok := f.heads.Get(key)
	if !ok {
		return contract.FileHead{}, false
	}
	_, h := f.head(key, p)
	return h, true
}

func (f *fileHeads) Set(k FileKey, h contract.FileHead) (FileKey, contract.FileHead) {
	g := f.group(k)
	if k.Doc == document.AccessDoc {
		f.stand(g, h.Access)
	}
	like := fileLike{h.Op, h.Collection, h.Format, h.Grammar}
	n, ok := f.alike.find(like)
	if !ok {
		n = f.alike.add(fileLike{few(h.Op), few(h.Collection), few(h.Format), few(h.Grammar)})
	}
	now := packedFile{
		common: f.common.take(h.Doc, h.Path, contract.Covering(h.View, contract.Cover{Version: h.Version, Hash: h.Hash})),
		size:   h.Size, inode: h.Inode, modified: nanoseconds(h.Modified), changed: nanoseconds(h.Changed), time: nanoseconds(h.Time),
		like: n, live: h.Live, first: h.First,
	}
	if r := (rareFile{h.Commit, h.Ancestors, h.Blob, h.Reason, h.Metadata, h.Count}); r != (rareFile{}) {
		now.rare = &rareFile{few(h.Commit), own(h.Ancestors), own(h.Blob), own(h.Reason), few(h.Metadata), h.Count}
	}
	old, had := f.heads.Get(packedKey{g, k.Doc})
	key := packedKey{g, now.doc}
	f.heads.Set(key, now)
	if had {
		f.common.leave(old.common)
	}
	return f.head(key, now)
}

// group is the number of what a key has in common with others.
func (f *fileHeads) group(k FileKey) uint32 {
	g, ok := f.groups.find(fileGroup{k.Source, k.View})
	if !ok {
		g = f.groups.add(fileGroup{few(k.Source), few(k.View)})
		f.access = append(f.access, contract.SourceRules{})
		f.now.add(f.groups.list[g])
	}
	return g
}

// stand notes the rules that stand in a group from now on.
func (f *fileHeads) stand(g uint32, rules contract.SourceRules) {
	f.access[g] = rules
	f.now.set(f.groups.list[g], rules)
}

// spoil notes that nobody knows what a document is: of one with rules, which.
func (f *fileHeads) spoil(k FileKey) {
	f.Delete(k)
	if k.Doc == document.AccessDoc {
		f.stand(f.group(k), contract.ClosedRules)
	}
}

func (f *fileHeads) Delete(k FileKey) {
	key, ok := f.packed(k)
	if !ok {
		return
	}
	if old, ok := f.heads.Get(key); ok {
		f.heads.Delete(key)
		f.common.leave(old.common)
		if k.Doc == document.AccessDoc {
			f.stand(key.group, contract.SourceRules{})
		}
	}
}

func (f *fileHeads) Len() int { return f.heads.Len() }

func (f *fileHeads) All() iter.Seq2[FileKey, contract.FileHead] {
	return func(yield func(FileKey, contract.FileHead) bool) {
		for k, p := range f.heads.All() {
			if !yield(f.head(k, p)) {
				return
			}
		}
	}
}
