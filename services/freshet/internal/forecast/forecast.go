package forecast

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// Options of Run.
type Options struct {
	// Config must be valid; its sources are of no interest.
	Config config.Config
	// Path is a folder or repository; Branch is for bare repositories.
	Path, Branch string
	// Exact cuts everything instead of a sample.
	Exact bool
	// Exclude are globs that leave paths out, as of a source.
	Exclude []string
	// ParserCommand is as in freshet.Options.
	ParserCommand []string
	// Progress may be nil. It is called by one goroutine at a time.
	Progress func(doing string, documents int, bytes int64)
}

// Run reads everything that is there once, then cuts and embeds a sample of
// it, or all, and says what indexing it will come to. It writes nothing.
// Errors are those of adding the source.
func Run(ctx context.Context, o Options) (Report, error) {
	if o.Progress == nil {
		o.Progress = func(string, int, int64) {}
	}
	preview, err := survey.Open(ctx, o.Config, o.Path, survey.Options{Branch: o.Branch, Exclude: o.Exclude})
	if err != nil {
		return Report{}, err
	}
	defer preview.Close()
	found := newTally(func(documents int, bytes int64) { o.Progress("reading", documents, bytes) })
	if err := preview.Each(ctx, found.visit); err != nil {
		return Report{}, err
	}
	r := newReport(preview.Source())
	r.Skipped, r.Ignored = found.reasons(survey.Skipped), found.reasons(survey.Ignored)
	by := folders(found.docs)
	file := ".freshetignore"
	if r.Kind == contract.SourceBare {
		file += " at the top of the branch"
	}
	r.Folders, r.Advice = largest(by), advise(by, file)
	list := strata(found.docs)
	known, err := open.Known(o.Config)
	if err != nil {
		return Report{}, err
	}
	set, err := open.Embedders(known)
	if err != nil {
		return Report{}, err
	}
	models, ok := Counters(set)
	if !ok {
		return Report{}, document.Errorf(document.Internal, "an embedder does not tell how much work a text is")
	}
	budget := int64(sampleBytes)
	if o.Exact {
		budget = found.bytes
	}
	read := func(ctx context.Context, d doc) ([]byte, bool, error) { return preview.Read(ctx, d.path) }
	b, err := measure(ctx, o, models, read, list, budget, found.bytes)
	if err != nil {
		return Report{}, err
	}
	r.fill(o.Config, b, list, found.docs)
	r.compare(o.Config.Limits)
	return r, nil
}

// measure cuts and embeds the sample of every stratum, budget of all bytes.
func measure(ctx context.Context, o Options, models map[document.Collection]embed.Counter, read func(context.Context, doc) ([]byte, bool, error), list []*stratum, budget, all int64) (*bench, error) {
	cut, err := cutter.New(o.Config.Chunker, o.ParserCommand)
	if err != nil {
		return nil, err
	}
	defer cut.Close()
	b := &bench{
		content: read, cutter: cut, models: models, lanes: o.Config.Chunker.Parsers + 1, seconds: map[document.Collection]*laps{},
		tell: func(documents int, bytes int64) { o.Progress("cutting", documents, bytes) },
	}
	if err := b.warm(ctx); err != nil {
		return nil, err
	}
	for _, s := range list {
		if err := b.run(ctx, s, s.choose(budget, all)); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// price is what embedding so many tokens costs.
func price(e config.Embedder, tokens Estimate) float64 { return float64(tokens.Value) * e.Price / 1e6 }

// cost says what embedding costs.
func cost(e config.Embedder, tokens Estimate) string {
	if e.Remote() {
		return charge(e, price(e, tokens)) + "; the time of its server is not counted"
	}
	if e.Model != "" {
		return "model of your own, no charge"
	}
	return "bundled model, no charge"
}

func charge(e config.Embedder, all float64) string {
	switch {
	case e.Price == 0:
		return e.Model + " by " + e.Provider + ", whose price is not known (embedder.price)"
	case e.Budget > 0 && all > e.Budget:
		return fmt.Sprintf("%.2f by %s of %s at %g for a million tokens, over %.0f days of %.2f (embedder.budget)", all, e.Model, e.Provider, e.Price, math.Ceil(all/e.Budget), e.Budget)
	}
	return fmt.Sprintf("%.2f by %s of %s at %g for a million tokens", all, e.Model, e.Provider, e.Price)
}

// fill puts the figures together.
func (r *Report) fill(cfg config.Config, b *bench, list []*stratum, docs []doc) {
	r.Sample = Sample{Exact: b.documents == len(docs), Documents: b.documents, Bytes: b.bytes}
	for _, name := range cfg.Collections.Names() {
		c := Collection{Collection: name}
		for _, d := range docs {
			if d.collection == name {
				c.Documents++
				c.Bytes += d.bytes
			}
		}
		if c.Documents == 0 {
			continue
		}
		if lap := b.seconds[name]; lap != nil {
			r.Sample.Cutting += lap.cutting
			r.Sample.Embedding += lap.embedding
			c.Seconds = whole * (lap.cutting + lap.embedding) * float64(c.Bytes) / float64(max(lap.bytes, 1))
		}
		c.Passages, c.Tokens = estimates(list, name)
		e := cfg.EmbedderOf(name)
		c.Embedder, c.Cost, c.CostNote = b.models[name].Identity(), price(e, c.Tokens), cost(e, c.Tokens)
		r.Collections = append(r.Collections, c)
		r.Total.Documents += c.Documents
		r.Total.Bytes += c.Bytes
		r.Total.Seconds += c.Seconds
	}
	r.Total.Passages, r.Total.Tokens = estimates(list, "")
	r.together(cfg, b)
	r.Disk = disk(cfg.Stores, r.Total.Bytes)
}

// together says what the collections cost: in one sentence where one embedder has all.
func (r *Report) together(cfg config.Config, b *bench) {
	var by, notes []string
	alike := true
	for _, name := range cfg.Collections.Names() {
		alike = alike && b.models[name] == b.models[document.Collections[0]]
	}
	if alike {
		e := cfg.EmbedderOf(document.Collections[0])
		r.Total.Embedder, r.Total.Cost, r.Total.CostNote = b.models[document.Collections[0]].Identity(), price(e, r.Total.Tokens), cost(e, r.Total.Tokens)
		return
	}
	for _, c := range r.Collections {
		by, notes = append(by, string(c.Collection)+" by "+c.Embedder), append(notes, string(c.Collection)+": "+c.CostNote)
		r.Total.Cost += c.Cost
	}
	r.Total.Embedder, r.Total.CostNote = strings.Join(by, ", "), strings.Join(notes, "; ")
}

// compare says whether the source will be held. The watcher goes by the same
// numbers.
func (r *Report) compare(limits config.Limits) {
	if r.Total.Documents <= limits.Files && r.Total.Bytes <= int64(limits.Bytes) {
		return
	}
	r.AboveLimits = true
	r.Advice = append(r.Advice, fmt.Sprintf("it is above the limit of %d files or %s of text, so that nothing of it is indexed before it is accepted, or limits.files and limits.bytes are raised", limits.Files, limits.Bytes))
	r.Actions = []document.Action{{Do: document.DoSourceAccept, Path: document.EncodePath(r.Root)}}
}

// What the state folder held of Go's own source, as a multiple of the text's
// bytes (docs/reference/benchmarks.md, "What was seen").
const (
	logRatio     = 0.35 + 0.47 + 0.39 + 0.18 // FILES, CHUNKS, VECTORS, INDEXED
	lexicalRatio = 0.22
	vectorRatio  = 0.28
)

// whole is how many times as long as cutting and embedding alone everything
// takes, from the first look until all is searchable: the log, the stores, and
// waiting for each other. (Go's own source on two shared cores at a load of 7:
// 38.1 s from start to end of freshet index, of which 18.7 s are the former.)
const whole = 2.0

func disk(stores config.Stores, text int64) Disk {
	d := Disk{Log: int64(logRatio * float64(text))}
	var elsewhere []string
	for _, s := range []struct {
		kind  string
		ratio float64
	}{{stores.Lexical, lexicalRatio}, {stores.Vector, vectorRatio}} {
		if s.kind == config.Embedded {
			d.Stores += int64(s.ratio * float64(text))
		} else {
			elsewhere = append(elsewhere, s.kind)
		}
	}
	d.Note = "by the ratios that were measured on Go's own source"
	if len(elsewhere) > 0 {
		d.Note += "; what " + strings.Join(elsewhere, " and ") + " needs is not counted"
	}
	return d
}
