package syntax

import (
	"bytes"
	"regexp"
)

// annotation begins a comment of Lua that its grammar takes apart.
var annotation = regexp.MustCompile(`(?m)^[ \t]*---`)

// readable returns what a grammar is given in the place of a content, with everything at
// its offset. The grammar of Lua reads annotations of types, does not know all of them,
// and finds nothing more behind one that it does not know: it sees plain comments.
func readable(language string, content []byte) []byte {
	if language != "lua" || !bytes.Contains(content, []byte("---")) {
		return content
	}
	out := bytes.Clone(content)
	for _, at := range annotation.FindAllIndex(content, -1) {
		out[at[1]-1] = ' '
		for i := at[1]; i < len(out) && out[i] != '\n'; i++ {
			if out[i] == '@' {
				out[i] = ' '
			}
		}
	}
	return out
}
