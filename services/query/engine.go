package query

import (
	"cmp"
	"log/slog"
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/secrets"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
	"github.com/freshet-dev/freshet/services/query/internal/commits"
	"github.com/freshet-dev/freshet/services/query/internal/deadletter"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/gate"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/queryvector"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/rerank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
	"github.com/freshet-dev/freshet/services/query/internal/scope"
	"github.com/freshet-dev/freshet/services/query/internal/trigram"
)

// engine is what questions are answered by over the stores of one build: while
// another build takes its place there are two. It is safe for concurrent use.
type engine struct {
	cfg      Config
	bus      *bus.Bus
	log      *slog.Logger
	stores   *stores
	analyzer *analysis.Analyzer
	build    contract.Build

	index    *freshness.Index
	models   models
	reader   *resolve.Reader
	resolver *resolve.Resolver
	contents *contents
	plain    *plain.Searcher // of pending documents

	byKeyword   *plain.Searcher
	priorities  rank.Priorities
	reranker    rerank.Reranker                 // nil: none
	guard       *secrets.Guard                  // of what goes to a model of somebody's server
	tokenizers  map[string]*tokenizer.Tokenizer // by name
	calibration *confidence.Calibration
	deadLetters *deadletter.Letters
	known       instances

	// What knows of no build is shared by all engines of a service.
	commits  *commits.Index
	sources  *scope.Sources
	learned  *learning
	keeping  *keeping
	trigrams *trigram.Index
	counters *counters
}

func newEngine(cfg Config, deps Deps) (*engine, error) {
	if len(deps.Stores) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "query: no generation to search: configure at least one collection")
	}
	var build contract.BuildID
	if deps.Build.Embedder != "" {
		build = deps.Build.ID()
	}
	stores, err := newStores(deps.Stores, build)
	if err != nil {
		return nil, err
	}
	s := &engine{
		cfg: cfg, bus: deps.Bus, log: deps.Log, stores: stores, analyzer: deps.Analyzer,
		counters: &counters{}, build: deps.Build,
	}
	if s.calibration, err = gate.Bundled(); err != nil {
		return nil, err
	}
	if s.priorities, err = rank.NewPriorities(cfg.Priorities); err != nil {
		return nil, err
	}
	if s.reranker, err = rerank.New(cfg.Rerank); err != nil {
		return nil, err
	}
	if s.guard, err = secrets.NewGuard(cfg.Outgoing); err != nil {
		return nil, err
	}
	if s.tokenizers, err = tokenizers(); err != nil {
		return nil, err
	}
	s.learned = newLearning(cfg.Ranking)
	s.keeping = newKeeping(cfg.Ranking, s.learned.weigh)
	s.index = freshness.New(s.bus, stores)
	s.commits = commits.New(s.bus.Files())
	s.sources = scope.New(s.bus.Conn())
	s.models = s.modelsOf(deps)
	s.reader = resolve.NewReader(s.bus, int64(cfg.BodyCache), func(err error) {
		s.log.Warn("message of the log not read", "error", err)
	})
	s.deadLetters = &deadletter.Letters{Bus: s.bus, Index: s.index, Of: s.about, Builds: stores.AllDeadLetters}
	s.contents = &contents{bus: s.bus, log: s.log, stores: stores, reader: s.reader}
	s.resolver = resolve.New(s.bus, s.reader, s.index, stores.Place)
	s.plain = &plain.Searcher{Reader: s.reader, Analyzer: s.analyzer, Generation: stores.Generation,
		Documents: cfg.PendingDocuments, Bytes: int64(cfg.PendingBytes)}
	s.byKeyword = newKeyword(s.plain)
	s.trigrams = trigram.New(s.bus, int64(cfg.Trigrams))
	return s, nil
}

// modelsOf are the embedders of the collections that are searched.
func (s *engine) modelsOf(deps Deps) models {
	m := models{of: map[document.Collection]*queryvector.Source{}}
	for _, c := range s.stores.Collections() {
		identity := cmp.Or(deps.Build.Of(c).Embedder, deps.Embedder)
		at := slices.IndexFunc(m.sources, func(known *queryvector.Source) bool { return known.Identity() == identity })
		if at < 0 {
			at = len(m.sources)
			m.sources = append(m.sources, queryvector.New(s.bus.Conn(), identity, cmp.Or(s.cfg.EmbedDeadline, localEmbed), s.cfg.VectorCache))
		}
		m.of[c] = m.sources[at]
	}
	return m
}

// share takes from the engine that follows what knows of no build.
func (s *engine) share(next *engine) {
	s.commits, s.sources, s.learned, s.keeping, s.trigrams, s.counters = next.commits, next.sources, next.learned, next.keeping, next.trigrams, next.counters
}
