package query

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/rerank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Rerank chooses a reranker.
type Rerank = rerank.Config

// Config configures the service.
type Config struct {
	// Version is what the service tells of itself; semantic.
	Version string `yaml:"-"`
	// K is the number of hits where a request names none; MaxK the most.
	K    int `yaml:"k"`
	MaxK int `yaml:"max_k"`
	// Deadline is the time for an answer where a request names none;
	// MaxDeadline the most.
	Deadline    time.Duration `yaml:"deadline"`
	MaxDeadline time.Duration `yaml:"max_deadline"`
	// ChannelDeadline bounds one channel; a slower one is left out of the
	// answer, which says so. EmbedDeadline bounds the wait for the query's
	// vector, within it.
	ChannelDeadline time.Duration `yaml:"channel_deadline"`
	EmbedDeadline   time.Duration `yaml:"embed_deadline"`
	// Overfetch is how many passages a channel is asked for at first, and
	// MaxOverfetch at most.
	Overfetch    int `yaml:"overfetch"`
	MaxOverfetch int `yaml:"max_overfetch"`
	// PerFile bounds the hits of one file among ten.
	PerFile int `yaml:"per_file"`
	// PerFileDocs is the same for files of the collection docs.
	PerFileDocs int `yaml:"per_file_docs"`
	// PendingDocuments and PendingBytes bound the pending documents that are
	// searched as plain lines.
	PendingDocuments int   `yaml:"pending_documents"`
	PendingBytes     int64 `yaml:"pending_bytes"`
	// Listed bounds the pending and failed documents that an answer lists.
	Listed int `yaml:"listed"`
	// BodyCache is the memory in bytes for decoded documents.
	BodyCache int64 `yaml:"body_cache"`
	// VectorCache is the number of query vectors that are remembered.
	VectorCache int `yaml:"vector_cache"`
	// Excerpt is the length in bytes of an excerpt.
	Excerpt int `yaml:"excerpt"`
	// Concurrency bounds the searches at the same time.
	Concurrency int `yaml:"concurrency"`
	// ReportWait bounds the wait for the services' reports of a status.
	ReportWait time.Duration `yaml:"report_wait"`

	// Ranking are the weights of the order of an answer; the zero value stands
	// for the defaults.
	Ranking config.Ranking `yaml:"ranking"`
	// Priorities say what documents count beside others.
	Priorities []config.Priority `yaml:"priorities"`
	// Rerank chooses what looks at the best passages once more.
	Rerank Rerank `yaml:"rerank"`
	// Diversify is what a score counts beside being unlike the hits before, up to
	// 1; 0 leaves likeness out.
	Diversify float64 `yaml:"diversify"`
	// Spelling is what a word counts that is searched in place of one that no
	// passage has, beside a word of the query, up to 1; 0 leaves words alone.
	Spelling float64 `yaml:"spelling"`
	// Variants is in how many wordings a question is searched: 1 is its own, 2
	// adds synonyms, 3 names that its best passages have in common.
	Variants int `yaml:"-"`
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	setDefault(&c.Version, "0.1.0")
	setDefault(&c.K, 10)
	setDefault(&c.MaxK, 1000)
	setDefault(&c.Deadline, 2*time.Second)
	setDefault(&c.MaxDeadline, time.Minute)
	setDefault(&c.ChannelDeadline, time.Second)
	setDefault(&c.EmbedDeadline, 250*time.Millisecond)
	setDefault(&c.Overfetch, 50)
	setDefault(&c.MaxOverfetch, 4800)
	setDefault(&c.PerFile, 3)
	setDefault(&c.PerFileDocs, 5)
	setDefault(&c.PendingDocuments, 64)
	setDefault(&c.PendingBytes, 4<<20)
	setDefault(&c.Listed, 100)
	setDefault(&c.BodyCache, 64<<20)
	setDefault(&c.VectorCache, 1024)
	setDefault(&c.Excerpt, 400)
	setDefault(&c.Concurrency, 64)
	setDefault(&c.ReportWait, 300*time.Millisecond)
	setDefault(&c.Variants, 1)
	setDefault(&c.Ranking, config.Default().Query.Ranking)
	c.Rerank.SetDefaults()
}

func (c *Config) perFile() resolve.PerFile {
	return resolve.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}
}

func setDefault[T comparable](at *T, value T) {
	var zero T
	if *at == zero {
		*at = value
	}
}

// Validate names the first setting that cannot work.
func (c *Config) Validate() error {
	for _, r := range []struct {
		name       string
		value      int64
		least, top int64
	}{
		{"max_k", int64(c.MaxK), 1, 10_000},
		{"k", int64(c.K), 1, int64(c.MaxK)},
		{"overfetch", int64(c.Overfetch), 10, 10_000},
		{"max_overfetch", int64(c.MaxOverfetch), int64(c.Overfetch), 100_000},
		{"per_file", int64(c.PerFile), 1, 10},
		{"per_file_docs", int64(c.PerFileDocs), 1, 10},
		{"pending_documents", int64(c.PendingDocuments), 1, 10_000},
		{"pending_bytes", c.PendingBytes, 1 << 10, 1 << 30},
		{"listed", int64(c.Listed), 1, 10_000},
		{"body_cache", c.BodyCache, 1 << 20, 1 << 40},
		{"vector_cache", int64(c.VectorCache), 4, 1 << 20},
		{"excerpt", int64(c.Excerpt), 16, 1 << 16},
		{"expand.variants", int64(c.Variants), 1, 3},
		{"concurrency", int64(c.Concurrency), 1, 4096},
	} {
		if r.value < r.least || r.value > r.top {
			return document.Errorf(document.InvalidRequest, "query.%s is %d: use %d to %d", r.name, r.value, r.least, r.top)
		}
	}
	for _, r := range []struct {
		name       string
		value      time.Duration
		least, top time.Duration
	}{
		{"max_deadline", c.MaxDeadline, time.Millisecond, time.Hour},
		{"deadline", c.Deadline, time.Millisecond, c.MaxDeadline},
		{"channel_deadline", c.ChannelDeadline, time.Millisecond, c.MaxDeadline},
		{"embed_deadline", c.EmbedDeadline, time.Millisecond, c.MaxDeadline},
		{"report_wait", c.ReportWait, time.Millisecond, time.Minute},
	} {
		if r.value < r.least || r.value > r.top {
			return document.Errorf(document.InvalidRequest, "query.%s is %s: use %s to %s", r.name, r.value, r.least, r.top)
		}
	}
	if !(c.Diversify >= 0 && c.Diversify <= 1) {
		return document.Errorf(document.InvalidRequest, "query.diversify is %v: use 0 to 1", c.Diversify)
	}
	if !(c.Spelling >= 0 && c.Spelling <= 1) {
		return document.Errorf(document.InvalidRequest, "query.spelling is %v: use 0 to 1", c.Spelling)
	}
	if err := c.Rerank.Validate(); err != nil {
		return err
	}
	if err := config.ValidatePriorities(c.Priorities); err != nil {
		return err
	}
	return c.Ranking.Validate()
}
