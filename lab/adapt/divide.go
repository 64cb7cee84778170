package adapt

import (
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/embed/static/train"
)

// divided is what is learnt from, and what is held back.
type divided struct {
	corpus train.Corpus
	held   []question
	among  []int // passages that the held-back questions are asked among
}

// devAmong is about how many passages the pairs to stop by are asked among: each
// epoch does.
const devAmong = 5000

// divide puts every file into one part. Passages of held-back files are not even
// wrong answers in the training.
func divide(b *book, o *Options, list []question) divided {
	d := divided{corpus: train.Corpus{Passages: make([]static.Bag, len(b.passages))}}
	asked := make([]bool, len(b.passages)) // right for some question of its part
	for _, q := range list {
		pair := train.Pair{Question: q.bag, Passages: q.passages}
		switch o.partOf(q.task.Group) {
		case held:
			d.held = append(d.held, q)
		case dev:
			d.corpus.Dev = append(d.corpus.Dev, pair)
		default:
			d.corpus.Fit = append(d.corpus.Fit, pair)
		}
		for _, p := range q.passages {
			asked[p] = true
		}
	}
	inDev := 0
	for i := range b.passages {
		d.corpus.Passages[i] = b.passages[i].bag
		in := o.partOf(b.passages[i].file)
		if asked[i] || sampled(o, b, i, mostPassages, len(b.passages)) {
			d.among = append(d.among, i)
		}
		if in == fit {
			d.corpus.Wrong = append(d.corpus.Wrong, i)
		}
		if in == dev {
			inDev++
		}
	}
	for i := range b.passages {
		if o.partOf(b.passages[i].file) == dev && (asked[i] || sampled(o, b, i, devAmong, inDev)) {
			d.corpus.Among = append(d.corpus.Among, i)
		}
	}
	return d
}

// sampled chooses about room of all by chance.
func sampled(o *Options, b *book, i, room, all int) bool {
	if all <= room {
		return true
	}
	p := &b.passages[i]
	const fine = 1 << 20
	return chance(o.Train.Seed+uint64(p.at), p.file, fine) < uint64(room)*fine/uint64(all)
}
