package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ModelRanking is the key of the KeptRanking in BucketModels. An empty value stands for
// none.
const ModelRanking = "ranking"

// KeptRanking is how answers are ordered and withheld until it is taken back, where a
// question does not say otherwise: it holds over what each query service has configured.
type KeptRanking struct {
	// Ranking are weights by the keys of query.ranking, and MinConfidence the confidence
	// below which a search lists no hits, 0 to 1.
	Ranking       map[string]string `json:"ranking,omitempty" limit:"64,64,64"`
	MinConfidence float64           `json:"min_confidence,omitempty"`
	Note          string            `json:"note,omitempty" limit:"256"`
	// By and Time say who had it kept, and when: the service fills them in.
	By   string    `json:"by,omitempty"`
	Time time.Time `json:"time"`
	// Trouble says why it is not used, and Actions what can be done about that; empty
	// where it is, and in the log.
	Trouble string            `json:"trouble,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
}

// RankingRequest is the body of a request on freshet.query.ranking: it keeps weights and
// a threshold in place of those that are kept, or takes these back, or asks what is kept.
type RankingRequest struct {
	// Ranking, MinConfidence and Note are as in KeptRanking.
	Ranking       map[string]string `json:"ranking,omitempty" limit:"64,64,64"`
	MinConfidence float64           `json:"min_confidence,omitempty"`
	Note          string            `json:"note,omitempty" limit:"256"`
	Remove        bool              `json:"remove,omitempty"`
}

// RankingReply says what is kept from now on.
type RankingReply struct {
	Kept *KeptRanking `json:"kept,omitempty"` // nil: nothing
}
