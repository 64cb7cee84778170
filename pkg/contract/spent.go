package contract

// KeySpent is the key in BucketMeta of what was spent on vectors; KeyCanary begins
// those of the vectors by which a changed model is noticed.
const (
	KeySpent  = "embedder.spent"
	KeyCanary = "embedder.canary."
)

// Spent is what was asked of a server of vectors, by all embedders of the log.
type Spent struct {
	Day    string  `json:"day"`    // in UTC, such as 2026-11-25
	Tokens uint64  `json:"tokens"` // of that day
	Cost   float64 `json:"cost"`   // of them, in the currency of the price
	// Budget is the most that a day may cost; 0 for no limit.
	Budget float64 `json:"budget,omitempty"`

	AllTokens uint64  `json:"all_tokens"` // since the first day
	AllCost   float64 `json:"all_cost"`
}
