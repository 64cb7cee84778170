// Package transformer embeds texts by a BERT encoder, in Go alone: MiniLM, BGE, E5 and
// their like. It reads the folder that such a model is published as (config.json,
// model.safetensors, vocab.txt, and where the model has them the files that
// sentence-transformers adds), and needs no library, no server and no network.
//
// A text's vector does not depend on what else is in a batch. Processors with AVX2 and
// FMA multiply about twenty times as fast as the others, and sums are rounded in another
// order there: two processors may differ by one in a value of int8.
package transformer
