package siege

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/checks/vulture"
)

// setting is a key of the configuration with values that a deployment may have.
type setting struct {
	section, key string
	values       []string
}

// drawn are the settings that every round draws: every combination of them keeps
// the promises. None of them changes the order of an answer: the vulture's
// words have to be among its first hits.
var drawn = []setting{
	{"watcher", "debounce", []string{"10ms", "50ms", "200ms"}},
	{"watcher", "rescan", []string{"2s", "30s", "10m"}},
	{"watcher", "git", []string{"auto", "go-git"}},
	{"chunker", "parsers", []string{"1", "2", "4"}},
	{"chunker", "workers", []string{"1", "2", "4"}},
	{"chunker", "batch", []string{"1", "16"}},
	{"embedder", "workers", []string{"1", "3"}},
	{"embedder", "batch", []string{"1", "16"}},
	{"indexer", "workers", []string{"1", "2", "3"}},
	{"indexer", "batch", []string{"1", "8", "64"}},
	{"indexer", "linger", []string{"0s", "5ms", "50ms"}},
	{"indexer", "snapshot", []string{"1s", "5s", "30s"}},
	{"indexer", "sweep", []string{"5s", "1h"}},
	{"query", "overfetch", []string{"50", "200"}},
	{"query", "pending_documents", []string{"8", "64"}},
	{"query", "body_cache", []string{"1MiB", "64MiB"}},
	{"query", "vector_cache", []string{"4", "1024"}},
	{"query", "concurrency", []string{"4", "64"}},
	{"collections", "own", collections},
}

// collections are those that a deployment may have beside code and docs.
var collections = []string{
	"[]", `[{name: code-apart, paths: ["**/*.py"]}]`, `[{name: docs-apart, paths: ["**/*.md", "*.go"]}, {name: code-odd, paths: ["d1", "**/w1/**"]}]`,
}

// regrouped is a configuration with other collections.
func regrouped(text string, rng *rand.Rand) string {
	const key = "  own: "
	var b strings.Builder
	for line := range strings.Lines(text) {
		if now, ok := strings.CutPrefix(line, key); ok {
			others := slices.DeleteFunc(slices.Clone(collections), func(other string) bool { return other == strings.TrimSpace(now) })
			line = key + others[rng.IntN(len(others))] + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// Every fourth round draws the settings of a search's stages, too, which do
// change the order: of all rounds there are fewer answers then, since each
// question asks for so many hits that the order does not matter.
const (
	stagesEvery = 4
	stagesHits  = 1000
)

// stages are the settings of a search's stages, and how many hits a question has
// to ask for under them; none and 0 where the seed draws none.
func stages(seed uint64) (vulture.Settings, int) {
	if seed%stagesEvery != 0 {
		return nil, 0
	}
	return vulture.DrawSettings(seed), stagesHits
}

// settings draws a configuration.
func settings(rng *rand.Rand) string {
	var b strings.Builder
	section := ""
	for _, s := range drawn {
		if s.section != section {
			section = s.section
			b.WriteString(section + ":\n")
		}
		fmt.Fprintf(&b, "  %s: %s\n", s.key, s.values[rng.IntN(len(s.values))])
	}
	return b.String()
}
