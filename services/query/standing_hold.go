package query

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
	"github.com/freshet-dev/freshet/services/query/internal/standing"
)

// holdBatch holds the new passages of documents against the questions. moved are
// documents that the log shows in another state by now.
func (t *teller) holdBatch(ctx context.Context, answers *engine, heads []contract.FileHead, since map[bus.FileKey]unheld) (moved []bus.FileKey, err error) {
	chunks, vectors := make([]string, len(heads)), make([]string, len(heads))
	for i := range heads {
		h := &heads[i]
		g, _ := answers.stores.Generation(h.Collection)
		chunks[i], vectors[i] = contract.ChunksSubject(g, h.Source, h.Doc), contract.VectorsSubject(g, h.Source, h.Doc)
	}
	passages, err := t.service.bus.GetLast(ctx, contract.StreamChunks, chunks...)
	if err != nil {
		return nil, err
	}
	embedded, err := t.service.bus.GetLast(ctx, contract.StreamVectors, vectors...)
	if err != nil {
		return nil, err
	}
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	for i := range heads {
		h := &heads[i]
		k := bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}
		there, err := t.holdOne(ctx, answers, h, passages[chunks[i]], embedded[vectors[i]], since[k].at)
		switch {
		case err != nil:
			return nil, err
		case !there:
			moved = append(moved, k)
		default:
			t.considered[k] = h.Version
			delete(t.owed, k)
			t.former.held(h)
		}
	}
	return moved, nil
}

// holdOne holds the new passages of a document. It is not there where the log has no
// passages of this version: then another one is on its way, or they are being made
// again.
func (t *teller) holdOne(ctx context.Context, answers *engine, h *contract.FileHead, passages, embedded *bus.Msg, since time.Time) (there bool, err error) {
	k := bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}
	floor := t.considered[k]
	if t.owed[k] != h.Version {
		floor = max(floor, t.told)
	}
	body, raw, err := bodyOf(ctx, t.service.bus, passages)
	if body == nil || err != nil {
		return false, err
	}
	at := slices.IndexFunc(body.Contents, func(c document.Content) bool { return c.Hash == h.Hash })
	if at < 0 {
		return false, nil
	}
	content := &body.Contents[at]
	into, some := t.comesIntoSight(k)
	fresh := slices.DeleteFunc(slices.Clone(content.Chunks), func(c document.Chunk) bool { return c.Born <= floor && !some })
	if len(fresh) == 0 {
		return true, nil
	}
	near, err := vectorsOf(ctx, t.service.bus, embedded)
	if err != nil {
		return false, err
	}
	found := map[int][]candidate.Candidate{} // by question
	text := raw[content.Offset : content.Offset+content.Size]
	for i := range fresh {
		c := &fresh[i]
		p := standing.Passage{
			Text: text[c.StartByte:c.EndByte], Names: namesOf(h.Path, &c.Span), Vector: near[c.ID], Collection: answers.stores.Place(h.Collection),
		}
		for _, a := range t.set.Answers(&p) {
			q := t.asked[a.Question]
			isNew := into[a.Question] || c.Born > max(floor, q.record.After)
			if q.nobody || !isNew || h.Version <= q.record.After || !q.search.asksFor(h, content.Language, c) || lacksRequired(q.search.req.Reading, p.Text) != "" {
				continue
			}
			g, _ := answers.stores.Generation(h.Collection)
			found[a.Question] = append(found[a.Question], candidate.Candidate{Found: candidate.OfChunk(h, g, content.Language, c), Confidence: a.Relevance, Final: a.Sum})
		}
	}
	news := map[*kept]*contract.StandingHit{}
	for question, list := range found {
		k := t.asked[question]
		hit, err := t.show(ctx, answers, k, h, list)
		switch {
		case err != nil:
			return false, err
		case hit == nil:
		case hit.Hit.Version > h.Version:
			return false, nil // the newer version is told, with what is new in both, and once
		default:
			news[k] = hit
		}
	}
	for k, hit := range news {
		if err := t.hand(ctx, answers, k, h, hit, since); err != nil {
			return false, err
		}
	}
	return true, nil
}

// hand tells of a document what a question asks for, unless a rule has hidden that from
// its owner meanwhile.
func (t *teller) hand(ctx context.Context, answers *engine, k *kept, h *contract.FileHead, hit *contract.StandingHit, since time.Time) error {
	if sees, err := k.look(ctx, t.service.bus); err != nil || !sees || !bus.Head(k.search.sight, h) {
		return err
	}
	shown := &seen{}
	shown.add(hit.Hit.Source, hit.Hit.Path, hit.Hit.Version)
	if err := answers.keepTold(ctx, &k.record, shown); err != nil {
		return err
	}
	return t.tell(hit, since)
}

// show returns the passage that answers best of those that the log still shows, as an
// answer to a search does; nil where there is none for the owner.
func (t *teller) show(ctx context.Context, answers *engine, k *kept, h *contract.FileHead, list []candidate.Candidate) (*contract.StandingHit, error) {
	slices.SortStableFunc(list, func(a, b candidate.Candidate) int { return cmp.Compare(b.Final, a.Final) })
	want := resolve.Want{
		K: len(list), MinScore: math.Inf(-1), Views: []document.View{h.View}, May: k.search.inScope, PerFile: resolve.PerFile{Code: len(list), Docs: len(list)},
		Pending: answers.cfg.PendingDocuments, Lacks: func(text []byte) string { return lacksRequired(k.search.req.Reading, text) },
	}
	if sees, err := k.look(ctx, t.service.bus); err != nil || !sees || !bus.Head(k.search.sight, h) {
		return nil, err // a rule has changed meanwhile
	}
	answer, err := answers.resolver.Resolve(ctx, list, want, uint64(h.Version))
	if err != nil {
		return nil, err
	}
	if len(answer.Shown) == 0 {
		return nil, nil // a newer version does not have it, and is held itself
	}
	token, err := t.service.bus.Tokens().Of(ctx, answer.Seen)
	if err != nil {
		return nil, err
	}
	hit := hitOf(k.search, &answer.Shown[0], marksOf(k.search))
	if hit.Score = hit.Confidence; k.search.sight != nil {
		hit.Score, hit.Channels, hit.Signals, hit.Evidence = 0, nil, nil, nil
	}
	return &contract.StandingHit{ID: k.id, Owner: k.record.Owner, Relevance: hit.Confidence, Hit: hit, More: len(answer.Shown) - 1, Token: token}, nil
}

// look decides anew what the owners of all questions may see.
func (t *teller) look(ctx context.Context) error {
	known := map[string]*kept{}
	for _, k := range t.asked {
		if same := known[k.record.Owner]; same != nil {
			k.search.sight, k.nobody = same.search.sight, same.nobody
			continue
		}
		if _, err := k.look(ctx, t.service.bus); err != nil {
			return err
		}
		known[k.record.Owner] = k
	}
	return nil
}

// look decides anew what the owner of the question may see. It is false where nothing
// may be told: the key of its owner was revoked, or has ended.
func (k *kept) look(ctx context.Context, b *bus.Bus) (sees bool, err error) {
	if !b.Restricts() || k.record.Owner == "" {
		k.search.sight, k.nobody = nil, false
		return true, nil
	}
	who, ok, err := b.Visibility().Named(ctx, k.record.Owner)
	if err != nil {
		return false, err
	}
	k.search.sight, k.nobody = b.Visibility().Sight(who), !ok
	return ok, nil
}

// namesOf is what a passage is called: its path, what it defines, and what it stands
// under.
func namesOf(path document.Path, span *document.Span) []byte {
	var b bytes.Buffer
	for _, list := range [][]string{{path.Raw(), span.Symbol}, span.Names, span.Headings} {
		for _, name := range list {
			b.WriteString(name)
			b.WriteByte(' ')
		}
	}
	return b.Bytes()
}

// bodyOf reads the passages of a document with their texts; nil where the log has
// none, or not any more, or cannot give them: then they are made again.
func bodyOf(ctx context.Context, b *bus.Bus, m *bus.Msg) (*contract.ChunksBody, []byte, error) {
	raw, err := readable(ctx, b, m)
	if raw == nil || err != nil {
		return nil, nil, err
	}
	body, blob, broken := contract.SplitChunks(m.Header, raw)
	if broken != nil {
		bus.TellUnread(b, m.Unread(broken))
		return nil, nil, nil
	}
	return &body, blob, nil
}

// vectorsOf reads the vectors of a document's passages.
func vectorsOf(ctx context.Context, b *bus.Bus, m *bus.Msg) (map[document.ChunkID]embed.Vector, error) {
	raw, err := readable(ctx, b, m)
	if raw == nil || err != nil {
		return nil, err
	}
	var body contract.VectorsBody
	blob, broken := contract.SplitBody(m.Header, raw, &body)
	if n := len(body.IDs); broken == nil && len(body.Scales) == n && len(blob) == n*body.Dims {
		near := make(map[document.ChunkID]embed.Vector, n)
		for i, id := range body.IDs {
			near[id] = embed.VectorOf(body.Scales[i], blob[i*body.Dims:(i+1)*body.Dims])
		}
		return near, nil
	}
	return nil, nil // its passages are held by their words
}

// readable is the body of a message, nil where there is none that can be read.
func readable(ctx context.Context, b *bus.Bus, m *bus.Msg) ([]byte, error) {
	if m == nil {
		return nil, nil
	}
	raw, err := m.Body(ctx)
	if bus.IsUnread(err) {
		bus.TellUnread(b, err)
		return nil, nil
	}
	if errors.Is(err, bus.ErrGone) {
		return nil, nil
	}
	return raw, err
}
