package contract

import "github.com/freshet-dev/freshet/pkg/document"

// Repair is a message on freshet.repair: passages that a sink has or may have,
// and that the log does not list. Losing one costs nothing; the indexer compares
// each document with INDEXED before it deletes anything.
type Repair struct {
	Generation document.Generation `json:"generation"`
	Sink       document.Sink       `json:"sink"`
	Source     document.Source     `json:"source"`
	Doc        document.DocID      `json:"doc"`
	// IDs are the passages that a query was given by the sink and dropped.
	IDs []document.ChunkID `json:"ids,omitempty"`
	// Purged says that a purge took out a listing of passages of the document, and
	// nobody met any of them.
	Purged bool `json:"purged,omitempty"`
}
