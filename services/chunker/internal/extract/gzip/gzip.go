// Package gzip makes the text of a file that was packed by gzip: what it was before.
package gzip

import (
	"bytes"
	"compress/gzip"
	"io"
	"path"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// ratio is how much larger than its bytes a text may be, and small what it may be in any
// case. A log of one line again and again is packed a hundred to one.
const ratio, small = 400, 1 << 20

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	in, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return extract.Text{}, extract.Damaged
	}
	most := min(limit, max(small, ratio*len(content)))
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	switch {
	case len(text) > most && most < limit:
		return extract.Text{}, extract.Bomb
	case len(text) > most:
		return extract.Text{}, extract.TooMuch
	case err != nil:
		return extract.Text{}, extract.Damaged
	}
	if binary(text) {
		return extract.Text{}, extract.NoText
	}
	name := path.Base(in.Name)
	lang := language.Detect(document.EncodePath(name), text)
	if language.Get(lang).Grammar || lang == "html" || lang == "csv" {
		// Files that were packed are logs and data, hardly ever code.
		lang = language.Text
	}
	out, err := extract.Verbatim(extract.Decode(text, ""), lang, limit)
	out.Title = ""
	if err == nil && in.Name != "" {
		out.Title = extract.Line(name)
	}
	return out, err
}

// binary reports whether there is a zero among the first bytes, as in an archive.
func binary(text []byte) bool {
	head := text[:min(len(text), 8<<10)]
	if bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff}) {
		return false
	}
	return bytes.IndexByte(head, 0) >= 0
}
