package config

import "time"

// DefaultPort is where the embedded server listens: not NATS' own 4222, which
// a developer's machine may well use already.
const DefaultPort = 4722

// DefaultGateway is where the page and the HTTP interface are: beside the server.
const DefaultGateway = "127.0.0.1:4723"

// Default returns the configuration without any file.
func Default() Config {
	return Config{
		Log: "warn",
		// More than a look at the disk can miss, and than a clean stop and the
		// next start write.
		Disk:   Disk{Reserve: 512 << 20},
		NATS:   NATS{Host: "127.0.0.1", Port: DefaultPort, Sync: time.Second, Replicas: 1},
		Stores: Stores{Lexical: Embedded, Vector: Embedded},
		// One copy more, as Elasticsearch has it by itself: a server can be lost
		// without a pause for the refill. A single server keeps none, and says
		// "yellow".
		Elasticsearch: Elasticsearch{Prefix: "freshet", Shards: 1, Replicas: 1, Timeout: 30 * time.Second},
		Weaviate:      Weaviate{Prefix: "Freshet", Replicas: 1, Timeout: 30 * time.Second},
		Access:        Access{AuditSize: 256 << 20}, // about a million questions
		Gateway: Gateway{
			Listen: DefaultGateway, Body: 1 << 20,
			// Above what two processors answer, so that it bounds mistakes and nobody else.
			Concurrency: 64, Rate: 500,
			OIDC: OIDC{Name: "sub", Groups: "groups", Role: "ask", Scopes: []string{"openid"}},
			Link: time.Minute, Session: 7 * 24 * time.Hour,
		},
		// Several times the source of the Linux kernel, some 90,000 files: who
		// names a home folder by mistake is asked, and nobody else.
		Limits: Limits{Files: 300_000, Bytes: 5 << 30},
		Watcher: Watcher{
			Debounce: 50 * time.Millisecond, MaxDebounce: 500 * time.Millisecond,
			Fetch: 5 * time.Minute, Rescan: 10 * time.Minute, Poll: 2 * time.Second, MaxFileSize: 1 << 20, Git: "auto",
		},
		// The bundled model was measured at passages of 1,500 bytes.
		Chunker: Chunker{
			Target: 1500, Max: 3000, Prose: 1000, Overlap: 200,
			Parsers: 2, ParserTimeout: 5 * time.Second, ParserTimeoutPerMiB: 5 * time.Second, ParserMemory: 512 << 20,
			Workers: 2, Batch: 16, Lease: time.Minute,
		},
		Embedder: Embedder{Provider: Static, Canary: 10 * time.Minute, Inputs: 64, Concurrency: 4, Timeout: 20 * time.Second, Workers: 1, Batch: 16, Lease: 30 * time.Second},
		Collections: Collections{
			Code: Collection{Embedder: OwnEmbedder{Provider: Shared}},
			Docs: Collection{Embedder: OwnEmbedder{Provider: Shared}},
		},
		Outgoing: Outgoing{Secrets: SecretsRedact},
		Indexer:  Indexer{Workers: 1, Batch: 64, Lease: 30 * time.Second, Sweep: time.Hour, Verify: 24 * time.Hour, Snapshot: 30 * time.Second},
		Query: Query{
			K: 10, MaxK: 1000, Deadline: 2 * time.Second, MaxDeadline: time.Minute,
			ChannelDeadline: time.Second,
			Overfetch:       50, MaxOverfetch: 4800, PerFile: 3, PerFileDocs: 5,
			PendingDocuments: 64, PendingBytes: 4 << 20, Listed: 100,
			BodyCache: 64 << 20, Trigrams: 256 << 20, VectorCache: 1024, Excerpt: 400, Concurrency: 64,
			ReportWait: 300 * time.Millisecond,
			Answer:     Answer{Kind: "none", Deadline: time.Minute, Temperature: .2, MaxTokens: 1024, Wordings: 4, Planning: 3 * time.Second},
			Rerank:     Rerank{Kind: "none", Passages: 20, Weight: .5, Deadline: 500 * time.Millisecond, Batch: 32},
			Ranking:    defaultRanking(), Spelling: .5,
		},
		Agents: Agents{Idle: 30 * time.Minute},
	}
}
