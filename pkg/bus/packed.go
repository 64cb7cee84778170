package bus

import (
	"iter"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

// headMap holds the heads of a table. Set returns them as they are kept: what it
// is given may be a part of a message, and would keep the whole of it in memory.
// It may be read by several at once, as a map.
type headMap[K comparable, H any] interface {
	Get(K) (H, bool)
	Set(K, H) (K, H)
	Delete(K)
	Len() int
	All() iter.Seq2[K, H]
}

// plainHeads holds heads as they are.
type plainHeads[K comparable, H any] struct{ shrink.Map[K, H] }

func (p *plainHeads[K, H]) Set(k K, h H) (K, H) {
	p.Map.Set(k, h)
	return k, h
}

// outputHeads holds the heads of outputs, of which there are four for each
// document: each takes a few words, and what they say alike is there once.
type outputHeads struct {
	common *commons
	groups index[group]
	alike  index[outputLike]
	heads  shrink.Map[packedKey, packedHead]
}

// group is what many keys have in common.
type group struct {
	generation document.Generation
	sink       document.Sink
	source     document.Source
}

type packedKey struct {
	group uint32
	doc   document.DocID
}

type packedHead struct {
	*common
	seq   uint64
	count uint32
	like  uint32
}

// outputLike is what many heads of outputs say alike.
type outputLike struct {
	store          string
	live, textless bool
}

func groupOf(k OutputKey) group { return group{k.Generation, k.Sink, k.Source} }

func (o *outputHeads) packed(k OutputKey) (packedKey, bool) {
	n, ok := o.groups.find(groupOf(k))
	return packedKey{n, k.Doc}, ok
}

func (o *outputHeads) head(k packedKey, h packedHead) (OutputKey, contract.OutputHead) {
	g, like := o.groups.list[k.group], o.alike.list[h.like]
	return OutputKey{g.generation, g.sink, g.source, h.doc}, contract.OutputHead{
		Generation: g.generation, Sink: g.sink, Source: g.source, Doc: h.doc, Path: h.path, Covers: h.covers,
		Seq: h.seq, Store: like.store, Count: int(h.count), Live: like.live, Textless: like.textless,
	}
}

func (o *outputHeads) Get(k OutputKey) (contract.OutputHead, bool) {
	p, ok := o.packed(k)
	if !ok {
		return contract.OutputHead{}, false
	}
	h, ok := o.heads.Get(p)
	if !ok {
		return contract.OutputHead{}, false
	}
	_, out := o.head(p, h)
	return out, true
}

func (o *outputHeads) Set(k OutputKey, h contract.OutputHead) (OutputKey, contract.OutputHead) {
	g, ok := o.groups.find(groupOf(k))
	if !ok {
		g = o.groups.add(group{few(k.Generation), few(k.Sink), few(k.Source)})
	}
	like := outputLike{h.Store, h.Live, h.Textless}
	n, ok := o.alike.find(like)
	if !ok {
		like.store = few(h.Store)
		n = o.alike.add(like)
	}
	old, had := o.heads.Get(packedKey{g, k.Doc})
	now := packedHead{common: o.common.take(h.Doc, h.Path, h.Covers), seq: h.Seq, count: uint32(h.Count), like: n}
	key := packedKey{g, now.doc}
	o.heads.Set(key, now)
	if had {
		o.common.leave(old.common)
	}
	return o.head(key, now)
}

func (o *outputHeads) Delete(k OutputKey) {
	p, ok := o.packed(k)
	if !ok {
		return
	}
	if h, ok := o.heads.Get(p); ok {
		o.heads.Delete(p)
		o.common.leave(h.common)
	}
}

func (o *outputHeads) Len() int { return o.heads.Len() }

func (o *outputHeads) All() iter.Seq2[OutputKey, contract.OutputHead] {
	return func(yield func(OutputKey, contract.OutputHead) bool) {
		for k, h := range o.heads.All() {
			if !yield(o.head(k, h)) {
				return
			}
		}
	}
}

// index numbers what there are few of. It forgets nothing.
type index[T comparable] struct {
	numbers map[T]uint32
	list    []T
}

func (x *index[T]) find(v T) (uint32, bool) {
	n, ok := x.numbers[v]
	return n, ok
}

func (x *index[T]) add(v T) uint32 {
	if x.numbers == nil {
		x.numbers = map[T]uint32{}
	}
	n := uint32(len(x.list))
	x.numbers[v], x.list = n, append(x.list, v)
	return n
}
