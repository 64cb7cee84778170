// Package tokenizer counts tokens as language models do, and knows how many of them
// a model reads.
package tokenizer
