package resolve

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// load reads the bodies of the next candidates' documents, and the contents of
// those that are pending.
func (s *session) load(ctx context.Context, next []candidate.Candidate) (moved bool, err error) {
	keys := s.ahead(next)
	bodies, err := s.r.reader.Chunks(ctx, keys)
	if err != nil {
		return false, err
	}
	var behind []DocKey
	for _, k := range keys {
		s.bodies[k] = bodies[k]
		if s.bodies[k].Late() {
			s.noteLate(k)
			continue
		}
		if s.lags(k) {
			behind = append(behind, k)
		}
		s.byLine(k)
	}
	if len(behind) == 0 {
		return false, nil
	}
	named := namedBefore(s, behind)
	if moved, err := s.loadPending(ctx, behind); moved || err != nil {
		return moved, err
	}
	s.noteUnread(behind, named)
	return false, nil
}

// namedBefore are the versions of which the heads name passages already, before the log is
// asked for them: later ones it need not have had when it answered.
func namedBefore(s *session, keys []DocKey) map[document.Version]bool {
	out := map[document.Version]bool{}
	for _, k := range keys {
		for _, h := range s.lacking(k) {
			out[h.Version] = s.r.reader.Cut(k, h.Hash)
		}
	}
	return out
}

// noteLate lists a document whose passages were not read in time.
func (s *session) noteLate(k DocKey) {
	s.answer.Late = append(s.answer.Late, s.lacking(k)...)
}

// noteUnread lists the documents of which the log should have the passages, and
// which cannot be read, or are not handed out though the heads name them.
func (s *session) noteUnread(keys []DocKey, named map[document.Version]bool) {
	for _, k := range keys {
		b := s.bodies[k]
		for _, h := range s.lacking(k) {
			if b == nil && named[h.Version] || b != nil && b.Unread != nil && b.Covers.At(h.View).Hash == h.Hash {
				s.answer.Unread = append(s.answer.Unread, h)
				break
			}
		}
	}
}

// ahead returns the documents to read for the next candidates: those that are
// shown if none is dropped. Reading and decoding bodies is most of what a
// query costs the log. Once some were dropped, more may be, and another
// request costs more than a few bodies.
func (s *session) ahead(next []candidate.Candidate) []DocKey {
	need, least := s.wanted()-len(s.answer.Shown), 0
	if len(s.loaded) > 0 {
		least = 16
	}
	var keys []DocKey
	same := map[DocKey]int{}
	for i := range next {
		c := &next[i]
		if c.Final < s.want.MinScore || need <= 0 && i >= least {
			break
		}
		k := docOf(c)
		if !s.loaded[k] {
			s.loaded[k] = true
			keys = append(keys, k)
		}
		if limit := s.page.limit.Of(c.Generation); limit > 0 && same[k] >= limit && (s.page.named == nil || !s.page.named(c.Attrs.Path)) {
			continue // held back, at least for this page
		}
		same[k]++
		need--
	}
	return keys
}

// loadPending reads what the head tables may not have seen yet, and the
// contents of documents that are not chunked yet.
func (s *session) loadPending(ctx context.Context, behind []DocKey) (moved bool, err error) {
	fresh, err := s.r.reader.Fetch(ctx, behind)
	if err != nil {
		return false, err
	}
	var heads []contract.FileHead
	for _, k := range behind {
		if b := fresh[k]; b != nil {
			s.bodies[k], s.before[k] = b, s.bodies[k]
		}
		if s.bodies[k].Late() {
			s.noteLate(k)
			continue
		}
		for _, h := range s.lacking(k) {
			if s.bodies[k] != nil && s.bodies[k].Covers.At(h.View).Version > h.Version && !s.last {
				return true, nil
			}
			if len(s.contents)+len(heads) < s.want.Pending && h.Format == "" {
				heads = append(heads, h)
			} else {
				s.answer.Unsearched = append(s.answer.Unsearched, h)
			}
		}
	}
	contents, err := s.r.reader.Files(ctx, heads)
	if err != nil {
		return false, err
	}
	for _, h := range heads {
		raw, ok := contents[h.Version]
		if !ok && !s.last {
			return true, nil
		}
		if !ok {
			s.answer.Unsearched = append(s.answer.Unsearched, h)
			continue
		}
		s.contents[h.Version] = raw
	}
	return false, nil
}

// lags reports whether CHUNKS may have other passages of a document than those at
// hand: they are of an earlier version than a head, be it of one with the same
// content, which may have gone and come back since.
func (s *session) lags(k DocKey) bool {
	for _, v := range s.views[k] {
		h, ok := s.head(k, v)
		if ok && (s.bodies[k].of(&h) == nil || s.bodies[k].Covers.At(v).Version < h.Version) {
			return true
		}
	}
	return false
}

// lacking returns the heads of a document whose content CHUNKS has not got.
func (s *session) lacking(k DocKey) []contract.FileHead {
	var out []contract.FileHead
	for _, v := range s.views[k] {
		h, ok := s.head(k, v)
		if ok && s.bodies[k].of(&h) == nil {
			out = append(out, h)
		}
	}
	return out
}

// head returns the head of a view that can show passages of a generation.
func (s *session) head(k DocKey, v document.View) (contract.FileHead, bool) {
	h, ok := s.heads[bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}]
	return h, ok && h.Op == contract.OpPut && s.r.place(h.Collection) == contract.CollectionOf(k.Generation)
}
