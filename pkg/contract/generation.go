package contract

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Generation names a collection as built by one chunker signature and one
// embedder identity: the collection, "-" and eight
// hexadecimal digits.
func Generation(c document.Collection, chunker, embedder string) document.Generation {
	sum := sha256.Sum256([]byte(chunker + "\x00" + embedder))
	return document.Generation(string(c) + "-" + hex.EncodeToString(sum[:4]))
}
