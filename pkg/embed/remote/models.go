package remote

import "strings"

// model is what its maker says of it.
type model struct {
	dims   int // of its vectors
	tokens int // that it reads of one text
	// shortens: it makes shorter vectors where it is asked to.
	shortens bool
	// openAI: it has OpenAI's vocabulary, cl100k_base.
	openAI bool
	// query and passage stand before texts.
	query, passage string
}

// unknownTokens are read by a model that is not in the table: most of today's.
const unknownTokens = 8192

// bge is what its makers put before a question.
const bge = "Represent this sentence for searching relevant passages: "

// models are known by name.
var models = map[string]model{
	"text-embedding-3-small": {dims: 1536, tokens: 8191, shortens: true, openAI: true},
	"text-embedding-3-large": {dims: 3072, tokens: 8191, shortens: true, openAI: true},
	"text-embedding-ada-002": {dims: 1536, tokens: 8191, openAI: true},

	"embed-v4.0":                    {dims: 1536, tokens: 128_000, shortens: true},
	"embed-english-v3.0":            {dims: 1024, tokens: 512},
	"embed-english-light-v3.0":      {dims: 384, tokens: 512},
	"embed-multilingual-v3.0":       {dims: 1024, tokens: 512},
	"embed-multilingual-light-v3.0": {dims: 384, tokens: 512},

	// These make longer vectors on demand, too, which nobody here asks for.
	"voyage-3.5":      {dims: 1024, tokens: 32_000, shortens: true},
	"voyage-3.5-lite": {dims: 1024, tokens: 32_000, shortens: true},
	"voyage-3-large":  {dims: 1024, tokens: 32_000, shortens: true},
	"voyage-code-3":   {dims: 1024, tokens: 32_000, shortens: true},

	"all-minilm":        {dims: 384, tokens: 256},
	"all-minilm-l6-v2":  {dims: 384, tokens: 256},
	"bge-small-en-v1.5": {dims: 384, tokens: 512, query: bge},
	"bge-base-en-v1.5":  {dims: 768, tokens: 512, query: bge},
	"bge-large-en-v1.5": {dims: 1024, tokens: 512, query: bge},
	"bge-m3":            {dims: 1024, tokens: 8192},
	"e5-small-v2":       {dims: 384, tokens: 512, query: "query: ", passage: "passage: "},
	"e5-base-v2":        {dims: 768, tokens: 512, query: "query: ", passage: "passage: "},
	"e5-large-v2":       {dims: 1024, tokens: 512, query: "query: ", passage: "passage: "},

	"multilingual-e5-small": {dims: 384, tokens: 512, query: "query: ", passage: "passage: "},
	"multilingual-e5-base":  {dims: 768, tokens: 512, query: "query: ", passage: "passage: "},
	"multilingual-e5-large": {dims: 1024, tokens: 512, query: "query: ", passage: "passage: "},
	"mxbai-embed-large":     {dims: 1024, tokens: 512, query: bge},
	"mxbai-embed-large-v1":  {dims: 1024, tokens: 512, query: bge},
	"nomic-embed-text":      {dims: 768, tokens: 2048, query: "search_query: ", passage: "search_document: "},
	"nomic-embed-text-v1.5": {dims: 768, tokens: 8192, query: "search_query: ", passage: "search_document: "},
}

// modelOf is what is known of a model by its name, with or without a maker before
// it and a tag behind it: BAAI/bge-m3, nomic-embed-text:latest.
func modelOf(name string) (model, bool) {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name, _, _ = strings.Cut(name, ":")
	m, ok := models[name]
	return m, ok
}
