package contract

import "github.com/freshet-dev/freshet/pkg/document"

// Repair is a message on freshet.repair: chunks that a query was given by a
// sink and dropped, because the log does not list them. Losing one costs
// nothing; the indexer compares each with INDEXED before it deletes anything.
type Repair struct {
	Generation document.Generation `json:"generation"`
	Sink       document.Sink       `json:"sink"`
	Source     document.Source     `json:"source"`
	Doc        document.DocID      `json:"doc"`
	IDs        []document.ChunkID  `json:"ids"`
}
