package siege

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// giver gives documents by request and takes them back. No folder says what there is of
// them, so that what a blow brings back of them nobody corrects: the words that it has
// taken back it asks for again and again.
type giver struct {
	by  *guest // asks and judges
	rng *rand.Rand

	added bool
	held  map[document.Path]string // the word of each, "" where nobody knows
	back  []string                 // words that were taken back, the newest last
}

const (
	// given is the source of what is given by request.
	given = document.Source("given")
	// gifts is how many documents it has at most.
	gifts = 6
	// remembered is how many of the words that were taken back are asked for again.
	remembered = 40
)

// newGiver returns the giver of a round, who asks as the guest does.
func newGiver(g *guest) *giver {
	return &giver{by: g, rng: stream(g.r.entry.Seed, forGiver), held: map[document.Path]string{}}
}

// run goes on until ctx ends.
func (g *giver) run(ctx context.Context) {
	for {
		g.change(ctx)
		select {
		case <-time.After(between(g.rng, 100*time.Millisecond, time.Second)):
		case <-ctx.Done():
			return
		}
	}
}

// change gives a document or takes one back, and asks for what it said before and says
// now, and for one of the words that went earlier.
func (g *giver) change(ctx context.Context) {
	conn := g.by.r.bus.Conn()
	if !g.added {
		_, err := client.AddSource.Ask(ctx, conn, contract.SourceAdd{Kind: contract.SourceAPI, Source: given})
		g.added = err == nil || document.KindOf(err) == document.Conflict
		return
	}
	path := document.Path(fmt.Sprintf("gift%d.md", g.rng.IntN(gifts)))
	old, now := g.held[path], ""
	var token document.Token
	var err error
	if _, is := g.held[path]; is && g.rng.IntN(2) == 0 {
		var rep contract.WriteReply
		rep, err = client.Delete.Ask(ctx, conn, contract.DeleteRequest{Source: given, Documents: []contract.DeleteDocument{{Path: path}}})
		token = rep.Token
	} else {
		now = word(g.rng)
		text := fmt.Sprintf("# Gift\n\nThe gift is called %s by its giver.\n", now)
		var rep contract.WriteReply
		rep, err = client.Put.Ask(ctx, conn, contract.PutRequest{Source: given, Documents: []contract.PutDocument{{Path: path, Text: &text}}})
		token = rep.Token
	}
	if err != nil {
		g.held[path] = "" // it may be either of them
		return
	}
	g.by.r.count("document given")
	if g.held[path] = now; now == "" {
		delete(g.held, path)
	}
	if old != "" {
		g.back = append(g.back, old)
		g.back = g.back[max(0, len(g.back)-remembered):]
	}
	g.by.present(ctx, now, token, place{given, []document.Path{path}})
	g.by.gone(ctx, old, token)
	if len(g.back) > 0 {
		g.by.gone(ctx, g.back[g.rng.IntN(len(g.back))], token)
	}
}

// leave asks for everything once more, when nothing strikes any more.
func (g *giver) leave(ctx context.Context) error {
	text := "The gifts are counted.\n"
	if !g.added {
		return nil
	}
	rep, err := client.Put.Ask(ctx, g.by.r.bus.Conn(), contract.PutRequest{Source: given, Documents: []contract.PutDocument{{Path: "count.md", Text: &text}}})
	if err != nil {
		return fmt.Errorf("give the last document: %w", err)
	}
	for path, w := range g.held {
		g.by.present(ctx, w, rep.Token, place{given, []document.Path{path}})
	}
	for _, w := range slices.Backward(g.back) {
		g.by.gone(ctx, w, rep.Token)
	}
	return nil
}
