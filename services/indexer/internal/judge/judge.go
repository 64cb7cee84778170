package judge

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Of compares each place with the one before it. Behind a place that lacks
// what it should have, or waits for it, nothing is said.
func Of(s *State) (v Verdict) {
	if !s.chunks(&v) {
		return v
	}
	vectors := s.output(&v, contract.VerifyVectors, "", contract.StageEmbed, s.Chunks, s.Vectors)
	for _, sink := range document.Sinks {
		in, stage := s.Chunks, contract.StageLexical
		if sink == document.Vector {
			in, stage = s.Vectors, contract.StageVector
			if !vectors {
				continue
			}
		}
		if s.output(&v, contract.VerifyIndexed, sink, stage, in, s.Indexed[sink]) {
			s.held(&v, sink)
		}
	}
	return v
}

// chunks compares CHUNKS with the heads of FILES.
func (s *State) chunks(v *Verdict) (usable bool) {
	if c := s.Chunks; c != nil && c.Broken != nil {
		v.add(Finding{Stage: contract.VerifyChunks, What: contract.FaultUnreadable, Detail: c.Broken.Error()})
		return false
	}
	usable = true
	for view, head := range s.Files {
		usable = s.view(v, view, head) && usable
	}
	if s.Chunks == nil {
		return usable
	}
	for view, cover := range s.Chunks.Covers.All() {
		if _, ok := s.Files[view]; !ok && cover.Hash != "" {
			v.add(Finding{
				Stage: contract.VerifyFiles, View: view, What: contract.FaultMissing,
				Detail: fmt.Sprintf("passages of version %d are indexed, and the log holds no version of it", cover.Version),
			})
			usable = false
		}
	}
	return usable
}

// has reports whether a head is of the generation's collection.
func (s *State) has(head contract.FileHead) bool {
	return head.Collection.In(s.Collections) == s.Collection
}

// view compares what CHUNKS covers of a view with its head.
func (s *State) view(v *Verdict, view document.View, head contract.FileHead) bool {
	var have contract.Cover
	if s.Chunks != nil {
		have = s.Chunks.Covers.At(view)
	}
	want := document.Hash("")
	if head.Op == contract.OpPut && s.has(head) {
		want = head.Hash
	}
	switch {
	case have.Version == head.Version && have.Hash == want:
		return true
	case have.Version >= head.Version && have.Version > 0:
		v.add(Finding{
			Stage: contract.VerifyChunks, View: view, What: contract.FaultDifferent,
			Detail: fmt.Sprintf("its passages are of version %d (%s), the log has version %d (%s)", have.Version, short(have.Hash), head.Version, short(want)),
		})
		return false
	case !s.has(head) && have.Hash == "":
		return true // no matter of this generation
	case s.Settled != nil && s.Chunks == nil && s.Settled(head):
		return true
	case s.Dead[contract.StageChunker].At(view).Version >= head.Version:
		v.Failed = true
		return true
	case s.Waits(contract.StageChunker, uint64(head.Version)):
		v.Pending = true
		return false
	}
	f := Finding{Stage: contract.VerifyChunks, View: view, What: contract.FaultMissing, Detail: fmt.Sprintf("version %d was never cut into passages", head.Version)}
	if have.Version > 0 {
		f.What, f.Detail = contract.FaultDifferent, fmt.Sprintf("its passages are of version %d, the log has version %d", have.Version, head.Version)
	}
	v.add(f)
	return false
}

// output compares an output with its input.
func (s *State) output(v *Verdict, place contract.VerifyStage, sink document.Sink, stage contract.Stage, in, out *Output) (usable bool) {
	f := Finding{Stage: place, Sink: sink}
	dead, failed := s.Dead[stage]
	switch {
	case out != nil && out.Broken != nil:
		f.What, f.Detail = contract.FaultUnreadable, out.Broken.Error()
	case in == nil && out == nil:
		return true
	case in == nil:
		if len(out.IDs)+len(out.Bare) == 0 {
			return true
		}
		f.What, f.IDs = contract.FaultExtra, out.IDs
		f.Detail = fmt.Sprintf("it has %d passages of a document that the place before does not have", len(out.IDs)+len(out.Bare))
	case s.Waits(stage, in.Seq):
		v.Pending = true
		return false
	case failed && dead.Includes(in.Covers) && (out == nil || !out.Covers.Includes(in.Covers)):
		v.Failed = true
		return out != nil
	case out == nil && in.Covers.Gone():
		return true // what is gone everywhere is purged, place by place
	case out == nil:
		f.What, f.Detail = contract.FaultMissing, fmt.Sprintf("it lacks the document, the place before has %d passages of it", len(in.all()))
	case !in.Covers.Equal(out.Covers):
		f.What, f.Detail = contract.FaultDifferent, fmt.Sprintf("it covers %s, the place before %s", out.Covers, in.Covers)
	default:
		if place == contract.VerifyIndexed && !out.Holds {
			v.Pending = true
			return false
		}
		lacks, extra := differ(in.all(), out.all())
		if place == contract.VerifyIndexed && sink == document.Vector && len(lacks)+len(extra) == 0 {
			lacks, extra = differ(in.IDs, out.IDs)
		}
		if len(lacks)+len(extra) == 0 {
			return true
		}
		f.What, f.IDs = contract.FaultDifferent, append(lacks, extra...)
		f.Detail = fmt.Sprintf("it lacks %d and has %d more than the %d passages of the place before", len(lacks), len(extra), len(in.all()))
	}
	v.add(f)
	return false
}

// held compares what a store holds with what INDEXED lists for it.
func (s *State) held(v *Verdict, sink document.Sink) {
	var listed []document.ChunkID
	if out := s.Indexed[sink]; out != nil {
		listed = out.IDs
	}
	held := s.Held[sink]
	if SumOf(listed) == held.Sum {
		return
	}
	f := Finding{Stage: contract.VerifyStore, Sink: sink, What: contract.FaultDifferent}
	if !held.Full {
		v.add(f)
		return
	}
	lacks, extra := differ(listed, held.IDs)
	switch {
	case len(extra) == 0:
		f.What, f.IDs = contract.FaultMissing, lacks
		f.Detail = fmt.Sprintf("the store lacks %d of the %d passages that are listed for it", len(lacks), len(listed))
	case len(lacks) == 0:
		f.What, f.IDs = contract.FaultExtra, extra
		f.Detail = fmt.Sprintf("the store holds %d passages beside the %d that are listed for it", len(extra), len(listed))
	default:
		f.IDs = append(lacks, extra...)
		f.Detail = fmt.Sprintf("the store lacks %d of the %d passages that are listed for it, and holds %d others", len(lacks), len(listed), len(extra))
	}
	v.add(f)
}

func (v *Verdict) add(f Finding) { v.Found = append(v.Found, f) }

// all are the passages of an output, those that no store holds included.
func (o *Output) all() []document.ChunkID {
	if len(o.Bare) == 0 {
		return o.IDs
	}
	return append(append(make([]document.ChunkID, 0, len(o.IDs)+len(o.Bare)), o.IDs...), o.Bare...)
}

// differ returns what b lacks of a, and what it has more.
func differ(a, b []document.ChunkID) (lacks, extra []document.ChunkID) {
	if SumOf(a) == SumOf(b) {
		return nil, nil
	}
	in := make(map[document.ChunkID]bool, len(b))
	for _, id := range b {
		in[id] = true
	}
	for _, id := range a {
		if !in[id] {
			lacks = append(lacks, id)
		}
		delete(in, id)
	}
	for _, id := range b {
		if in[id] {
			extra = append(extra, id)
			delete(in, id)
		}
	}
	return lacks, extra
}

func short(h document.Hash) string {
	if h == "" {
		return "no content"
	}
	return string(h[:min(8, len(h))])
}
