package tokenizer

import (
	"regexp"
	"strconv"
	"strings"
)

// Where a window is known from.
const (
	FromTable   = "table"   // the model is in the table
	FromName    = "name"    // the model's name says it, such as 32k
	FromDefault = "default" // nothing tells it
)

// Model is what is known of a language model.
type Model struct {
	Window int    // tokens that it reads
	From   string // where that is known from
	// Vocabulary is what its tokens are counted by, and Factor what the count is
	// multiplied by: 1 where the vocabulary is its own, else a reserve.
	Vocabulary string
	Factor     float64
}

// reserve is what a count is multiplied by where the model has another vocabulary.
// It is no measurement: it keeps an answer below its budget where the model's own
// tokens are shorter by a quarter.
const reserve = 1.3

// unknownWindow is taken where nothing tells the window: what the smallest models
// that are still in use read.
const unknownWindow = 8192

// known are models by the beginning of their names, as their makers state them.
var known = []struct {
	prefix     string
	window     int
	vocabulary string
	factor     float64
}{
	{"gpt-5", 400_000, O200k, 1},
	{"gpt-4.1", 1_047_576, O200k, 1},
	{"gpt-4o", 128_000, O200k, 1},
	{"gpt-oss", 131_072, O200k, 1},
	{"o1", 200_000, O200k, 1},
	{"o3", 200_000, O200k, 1},
	{"o4", 200_000, O200k, 1},
	{"gpt-4-turbo", 128_000, Cl100k, 1},
	{"gpt-4-32k", 32_768, Cl100k, 1},
	{"gpt-4", 8_192, Cl100k, 1},
	{"gpt-3.5", 16_385, Cl100k, 1},
	{"claude", 200_000, O200k, reserve},
	{"gemini", 1_048_576, O200k, reserve},
	{"llama-3.1", 131_072, O200k, reserve},
	{"llama-3.2", 131_072, O200k, reserve},
	{"llama-3.3", 131_072, O200k, reserve},
	{"llama-3", 8_192, O200k, reserve},
	{"mistral-large", 131_072, O200k, reserve},
	{"deepseek", 65_536, O200k, reserve},
	{"qwen", 32_768, O200k, reserve},
}

var thousands = regexp.MustCompile(`(?:^|[^a-z0-9.])([0-9]{1,4})([km])(?:$|[^a-z0-9])`)

// ForModel returns what is known of a model by its name, with or without a maker
// before a slash: by the table, where the longest beginning counts, else by a size in
// the name, else by default. It never fails.
func ForModel(name string) Model {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	m := Model{Window: unknownWindow, From: FromDefault, Vocabulary: O200k, Factor: reserve}
	if name == "" {
		m.Factor = 1
		return m
	}
	longest := 0
	for _, k := range known {
		if strings.HasPrefix(name, k.prefix) && len(k.prefix) > longest {
			longest = len(k.prefix)
			m = Model{Window: k.window, From: FromTable, Vocabulary: k.vocabulary, Factor: k.factor}
		}
	}
	if size := thousands.FindStringSubmatch(name); size != nil && longest == 0 {
		n, err := strconv.Atoi(size[1])
		if err == nil && n > 0 {
			m.Window, m.From = n<<10, FromName
			if size[2] == "m" {
				m.Window = n << 20
			}
		}
	}
	return m
}
