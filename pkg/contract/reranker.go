package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BucketModels is the key-value bucket in which the log keeps what was trained on its
// tasks, or tried on them. An empty value stands for none.
const BucketModels = "freshet_models"

// ModelReranker is the key of the learned reranker in BucketModels; its value is
// a Reranker.
const ModelReranker = "reranker"

// MostModel is the size in bytes above which a model is not taken: a value of
// the bucket is one message.
const MostModel = 512 << 10

// RerankerVersion is the version of what the features of a Reranker mean. A
// model of another one is not used.
const RerankerVersion = 1

// Reranker is a model that puts the best candidates of a search into a better
// order, by what the channels and signals say of them.
type Reranker struct {
	Version int `json:"version"` // RerankerVersion
	// Features are the names of the columns that the trees ask for.
	Features []string `json:"features" limit:"256,256"`
	// Ranking names the weights of the ranking that it was trained behind; a
	// service with others does not use it.
	Ranking string `json:"ranking" limit:"256"`
	// Classes are the kinds of question that it was trained on; others keep the
	// order of the signals.
	Classes []string `json:"classes" limit:"64,64"`
	// Passages is how many of the best candidates it looks at, Weight what its
	// order counts beside the one before it: above 0, at most 0.9.
	Passages int     `json:"passages"`
	Weight   float64 `json:"weight"`
	// Base is the index of the feature that counts Scale times beside the trees.
	Base  int            `json:"base"`
	Scale float64        `json:"scale"`
	Trees []RerankerTree `json:"trees" limit:"1000"`
	// Trained says when, Merit what it was worth on tasks that were held back.
	Trained time.Time     `json:"trained"`
	Merit   RerankerMerit `json:"merit"`
}

// RerankerTree is a regression tree in flat form. The inner node i, of which 0
// is the first, sends a candidate to Left[i] where its feature Feature[i] is at
// most Split[i], else to Right[i]. A child below 0 is the leaf of that number's
// complement, with its value in Value.
type RerankerTree struct {
	Feature []int     `json:"feature" limit:"4096"`
	Split   []float64 `json:"split" limit:"4096"`
	Left    []int     `json:"left" limit:"4096"`
	Right   []int     `json:"right" limit:"4096"`
	Value   []float64 `json:"value" limit:"4096"`
}

// RerankerMerit is what a model brings on tasks that it was not trained on.
type RerankerMerit struct {
	Measure string  `json:"measure" limit:"64"`
	Tasks   int     `json:"tasks"`
	Before  float64 `json:"before"` // mean without it
	After   float64 `json:"after"`  // mean with it
	P       float64 `json:"p"`      // of no difference, by permutation
}

// RerankerRequest is the body of a request on freshet.query.reranker: it serves
// Model, or takes back what is served, or asks what that is.
type RerankerRequest struct {
	Model  *Reranker `json:"model,omitempty"`
	Remove bool      `json:"remove,omitempty"`
}

// RerankerReply says what is served from now on.
type RerankerReply struct {
	Served *RerankerState `json:"served,omitempty"` // nil: none
}

// RerankerState is a learned reranker that a query service has.
type RerankerState struct {
	Trained  time.Time     `json:"trained"`
	Trees    int           `json:"trees"`
	Passages int           `json:"passages"`
	Weight   float64       `json:"weight"`
	Merit    RerankerMerit `json:"merit"`
	// Trouble says why it is not used, and Actions what can be done about that;
	// empty where it is.
	Trouble string            `json:"trouble,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
}
