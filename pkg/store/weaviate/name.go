package weaviate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// maxName bounds the part of a class name that stands for the store's name:
// the server makes a folder of the class, whose name has at most 255 bytes.
const maxName = 160

// ClassName returns the class of a store: the prefix, its first letter in
// upper case, and the name, in which everything but lower-case letters and
// digits is written as _ and two hexadecimal digits. (The server's folders do
// not tell upper from lower case.) Long names end in a hash. Two names never
// share a class.
func ClassName(prefix, name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	out := b.String()
	if len(out) > maxName {
		sum := sha256.Sum256([]byte(name))
		out = out[:maxName-34] + "__" + hex.EncodeToString(sum[:16])
	}
	return strings.ToUpper(prefix[:1]) + prefix[1:] + "_" + out
}
