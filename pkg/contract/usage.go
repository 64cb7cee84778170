package contract

// KeyUsage is the key in BucketMeta of what was asked and given.
const KeyUsage = "usage"

// WayHeader says in a request by which way it came, one of Ways.
const WayHeader = "Freshet-Way"

// The ways by which questions come.
const (
	WayCommand = "command" // the command line
	WayAgent   = "agent"   // the server for agents
	WayHTTP    = "http"    // the gateway, but for agents
	WayOther   = "other"   // over NATS, without saying so
)

// Ways lists them.
var Ways = []string{WayCommand, WayAgent, WayHTTP, WayOther}

// BytesPerToken is what bytes are divided by to state tokens. It is the same for what
// was given and for what whole documents have, so that no comparison depends on it.
const BytesPerToken = 4

// Usage is what was asked by one way, and what was given, since the log began.
type Usage struct {
	Way string `json:"way"`
	// Questions are those that were answered: search, grep, read, outline, related and
	// context.
	Questions uint64 `json:"questions"`
	// Given are the bytes of text that the answers show of documents.
	Given uint64 `json:"given"`
	// Whole are the bytes of all documents of which an answer shows something, each
	// once an answer: what reading them would have been.
	Whole uint64 `json:"whole"`
}
