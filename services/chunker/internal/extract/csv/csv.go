// Package csv makes passages of tables that are text (.csv, .tsv): groups of rows, each
// under the header of the table. The text is that of the document, so that its lines are
// those of the file.
package csv

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// Make implements extract.Maker. Rows are counted from 1, the header and empty ones, too.
func Make(content []byte, limit int) (extract.Text, error) {
	text := plain(content)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return extract.Text{}, extract.NoText
	case len(text) > limit:
		return extract.Text{}, extract.TooMuch
	}
	comma := delimiter(text)
	g := extract.Rows{Header: header(text, comma)}
	for at, row := 0, 1; at < len(text); row++ {
		end := record(text, at, comma)
		g.Add(text, at, end, row)
		at = end
	}
	return extract.Text{Bytes: text, Sections: g.Sections()}, nil
}

// plain is the text of a content, which is kept where it is UTF-8 as it should be: it may
// be large.
func plain(content []byte) []byte {
	if utf8.Valid(content) && !bytes.ContainsAny(content, "\r\x00") && !bytes.HasPrefix(content, []byte("\xef\xbb\xbf")) {
		return content
	}
	return []byte(extract.Decode(content, ""))
}

// sampled is how many records tell what separates the cells.
const sampled = 20

// delimiter is what separates the cells: of the usual ones that which the first records
// have as often as each other, and most of.
func delimiter(text []byte) byte {
	best, most := byte(','), 0
	for _, c := range []byte{',', '\t', ';', '|'} {
		counts := map[int]int{}
		for at, n := 0, 0; at < len(text) && n < sampled; n++ {
			end := record(text, at, c)
			if k := len(cells(text[at:end], c)); k > 1 {
				counts[k]++
			}
			at = end
		}
		for k, n := range counts {
			if score := n*1000 + k; score > most {
				best, most = c, score
			}
		}
	}
	return best
}

// A quote that is not closed within so many bytes or lines is no quote.
const (
	quotedBytes = 64 << 10
	quotedLines = 200
)

// record returns where the record that begins at an offset ends, behind its line break.
func record(text []byte, at int, comma byte) int {
	begins := true // of a cell
	for at < len(text) {
		c := text[at]
		switch {
		case c == '\n':
			return at + 1
		case c == '"' && begins:
			if end := closing(text, at); end > 0 {
				at = end
				begins = false
				continue
			}
		}
		begins = c == comma || begins && c == ' '
		at++
	}
	return at
}

// closing returns where the quoted cell that begins at an offset ends, 0 where it does
// not.
func closing(text []byte, at int) int {
	window := text[:min(len(text), at+quotedBytes)]
	lines := 0
	for i := at + 1; i < len(window); i++ {
		switch window[i] {
		case '\n':
			if lines++; lines > quotedLines {
				return 0
			}
		case '"':
			if i+1 < len(window) && window[i+1] == '"' {
				i++
				continue
			}
			return i + 1
		}
	}
	return 0
}

// cells are those of a record, without quotes.
func cells(text []byte, comma byte) []string {
	text = bytes.TrimRight(text, "\n")
	var out []string
	for from, at := 0, 0; ; at++ {
		if at < len(text) && text[at] == '"' && len(bytes.TrimLeft(text[from:at], " ")) == 0 {
			if end := closing(text, at); end > 0 {
				at = end - 1
				continue
			}
		}
		if at >= len(text) || text[at] == comma {
			cell := strings.TrimSpace(string(text[from:min(at, len(text))]))
			if n := len(cell); n > 1 && cell[0] == '"' && cell[n-1] == '"' {
				cell = strings.ReplaceAll(cell[1:n-1], `""`, `"`)
			}
			out, from = append(out, cell), at+1
			if at >= len(text) {
				return out
			}
		}
	}
}

// longest is how many bytes of a header are repeated.
const longest = 600

// header is the first record of a table where it names the columns: it has names in all
// cells that it has, no numbers, and there are rows below it.
func header(text []byte, comma byte) string {
	end := record(text, 0, comma)
	first := cells(text[:end], comma)
	if len(first) < 2 || end >= len(text) {
		return ""
	}
	named := 0
	for _, c := range first {
		if _, err := strconv.ParseFloat(strings.Replace(c, ",", ".", 1), 64); err == nil {
			return ""
		}
		if c != "" {
			named++
		}
	}
	if 2*named < len(first) {
		return ""
	}
	line := strings.Join(strings.Fields(string(text[:end])), " ")
	if comma == '\t' {
		line = strings.Join(first, " | ")
	}
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return line
}
