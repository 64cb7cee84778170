package query

import "github.com/freshet-dev/freshet/pkg/config"

// FromConfig takes the service's settings out of the configuration of all.
func FromConfig(c config.Config) Config {
	q := c.Query
	return Config{
		K: q.K, MaxK: q.MaxK, Deadline: q.Deadline, MaxDeadline: q.MaxDeadline,
		ChannelDeadline: q.ChannelDeadline, EmbedDeadline: q.EmbedDeadline,
		Overfetch: q.Overfetch, MaxOverfetch: q.MaxOverfetch, PerFile: q.PerFile, PerFileDocs: q.PerFileDocs,
		PendingDocuments: q.PendingDocuments, PendingBytes: int64(q.PendingBytes), Listed: q.Listed,
		BodyCache: int64(q.BodyCache), VectorCache: q.VectorCache, Excerpt: q.Excerpt,
		Concurrency: q.Concurrency, ReportWait: q.ReportWait,
		Rerank: Rerank{
			Kind: q.Rerank.Kind, URL: q.Rerank.URL, Model: q.Rerank.Model, Key: q.Rerank.Key, CA: q.Rerank.CA,
			Passages: q.Rerank.Passages, Weight: q.Rerank.Weight, Deadline: q.Rerank.Deadline, Batch: q.Rerank.Batch,
		},
		Ranking: q.Ranking, Diversify: q.Diversify, Spelling: q.Spelling, Variants: q.Expand.Variants,
	}
}
