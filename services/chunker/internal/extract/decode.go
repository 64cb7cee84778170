package extract

import "github.com/freshet-dev/freshet/pkg/charset"

// Decode makes clean UTF-8 of a text, as charset.Decode does: declared is the name of the
// encoding that it declares, as the web has it, "" for none.
func Decode(content []byte, declared string) string { return Clean(charset.Decode(content, declared)) }
