package contract

import "github.com/freshet-dev/freshet/pkg/document"

// Consumer is a durable consumer by which the processes of one stage share its
// work. Whoever looks at the backlog from outside, to start and stop processes,
// finds it by these names.
type Consumer struct {
	Stage        Stage
	Stream, Name string
}

// ChunkerConsumer is that of the chunker. It reads every change once for all
// collections; another build has other generations, out of the whole log, so it reads
// with a consumer of its own.
func ChunkerConsumer(id BuildID) Consumer {
	return Consumer{StageChunker, StreamFiles, string(StageChunker) + "-" + string(id)}
}

// EmbedderConsumer is that of the embedder for a generation.
func EmbedderConsumer(g document.Generation) Consumer {
	return Consumer{StageEmbed, StreamChunks, string(StageEmbed) + "-" + string(g)}
}

// IndexerConsumer is that of the indexer for one sink of a generation.
func IndexerConsumer(g document.Generation, k document.Sink) Consumer {
	if k == document.Vector {
		return Consumer{StageVector, StreamVectors, string(StageVector) + "-" + string(g)}
	}
	return Consumer{StageLexical, StreamChunks, string(StageLexical) + "-" + string(g)}
}
