package vulture

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// options are what a question asks for beside its text. Whatever they are, the
// promises hold.
type options struct {
	K        int             `json:"k,omitempty"` // 0: what the deployment gives
	Off      []string        `json:"off,omitempty"`
	Variants []string        `json:"variants,omitempty"`
	Filter   contract.Filter `json:"filter,omitzero"`
	Explain  bool            `json:"explain,omitempty"`
	// Ranking are weights that the question tries.
	Ranking map[string]string `json:"ranking,omitempty"`
}

// String is empty for none.
func (o options) String() string {
	text, err := json.Marshal(o)
	if err != nil || string(text) == "{}" {
		return ""
	}
	return string(text)
}

func (o options) into(r *contract.SearchRequest) {
	if o.K > 0 {
		r.K = &o.K
	}
	r.Off, r.Variants, r.Explain, r.Ranking = o.Off, o.Variants, o.Explain, o.Ranking
	r.Filter.Paths, r.Filter.Languages = o.Filter.Paths, o.Filter.Languages
}

// switchable are the stages that a question can be answered without.
var switchable = []string{"vector", "signals", "pending", "learned", "rerank", "confidence", "keyword", "diversify", "spelling", "exact", "places", "fold"}

var languages = map[string]string{".go": "go", ".py": "python", ".md": "markdown"}

// drawWeights draws weights that a question tries, of those that an instance may be set
// up with.
func drawWeights(rng *rand.Rand) map[string]string {
	const section = "query.ranking."
	var out map[string]string
	keys := slices.DeleteFunc(slices.Sorted(maps.Keys(values)), func(key string) bool { return !strings.HasPrefix(key, section) })
	for rng.IntN(4) == 0 {
		if out == nil {
			out = map[string]string{}
		}
		key := keys[rng.IntN(len(keys))]
		out[strings.TrimPrefix(key, section)] = values[key][rng.IntN(len(values[key]))]
	}
	return out
}

// drawOptions draws what a question about a place asks for. Half of them ask for
// nothing.
func drawOptions(rng *rand.Rand, at spot) (o options) {
	if rng.IntN(2) == 0 {
		return o
	}
	if rng.IntN(3) == 0 {
		o.K = []int{1, 2, 3, 10, 20, 50, 200}[rng.IntN(7)]
	}
	for rng.IntN(3) == 0 {
		o.Off = append(o.Off, switchable[rng.IntN(len(switchable))])
	}
	for len(o.Variants) < 3 && rng.IntN(4) == 0 {
		o.Variants = append(o.Variants, common[rng.IntN(len(common))])
	}
	o.Explain = rng.IntN(4) == 0
	o.Ranking = drawWeights(rng)
	if at.path == "" {
		return o
	}
	p := string(at.path)
	switch rng.IntN(8) {
	case 0:
		o.Filter.Paths = []string{p}
	case 1:
		o.Filter.Paths = []string{path.Dir(p) + "/"}
	case 2:
		o.Filter.Paths = []string{"**/*" + path.Ext(p)}
	case 3:
		o.Filter.Languages = []string{languages[path.Ext(p)]}
	}
	return o
}

// all is more hits than a question of several words or wordings, or with weights of its
// own, has whose words have to be found: which of them are best is no promise.
const all = 500

// enough is how many hits a question asks for at least whose word has to be
// among them: with fewer, others may be better.
const enough = 10
