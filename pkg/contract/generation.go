package contract

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// cutVersion changes whenever the chunker may cut the same content otherwise,
// or say something else of its passages.
const cutVersion = "split-3"

// Cut is what decides where a chunker cuts: Target and Max for code in bytes,
// Prose and Overlap in characters. It stands here because every service that
// works on a generation has to name it.
type Cut struct {
	Target  int `json:"target"`
	Max     int `json:"max"`
	Prose   int `json:"prose"`
	Overlap int `json:"overlap"`
}

// Signature names a way to cut. It is part of the generation: another
// signature builds another one.
func (c Cut) Signature() string { return c.signature(cutVersion) }

func (c Cut) signature(version string) string {
	return fmt.Sprintf("%s/code-%d-%d/prose-%d-%d", version, c.Target, c.Max, c.Prose, c.Overlap)
}

// Generation names a collection as built by one chunker signature and one
// embedder identity: the collection, "-" and eight
// hexadecimal digits.
func Generation(c document.Collection, chunker, embedder string) document.Generation {
	return buildID(chunker, embedder).Generation(c)
}

// CollectionOf returns the collection of a generation.
func CollectionOf(g document.Generation) document.Collection {
	return document.Collection(g[:max(0, strings.LastIndexByte(string(g), '-'))])
}
