package static

import (
	"encoding/binary"
	"unicode/utf8"
)

// maxPieceWord is how many bytes of a word outside the vocabulary are cut
// into pieces; the rest is dropped.
const maxPieceWord = 40

// Classes of byte.
const (
	separator = iota
	lower
	upper
	digit
)

// classOf maps a byte to its class; it is never written to after it is made.
var classOf = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 'a' && c <= 'z':
			table[c] = lower
		case c >= 'A' && c <= 'Z':
			table[c] = upper
		case c >= '0' && c <= '9':
			table[c] = digit
		}
	}
	return table
}()

// padding stands behind every text that is scanned, so that 16 bytes can be
// loaded from any word's start.
const padding = 16

// prepare returns text as ASCII with padding behind it, in buf's memory where
// it fits. Letters of Latin-1 and Latin Extended-A lose their accents, other
// runes outside ASCII become separators.
func prepare(buf []byte, text string) []byte {
	buf = buf[:0]
	start := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		buf = append(buf, text[start:i]...)
		r, n := utf8.DecodeRuneInString(text[i:])
		if letters := foldRune(r); letters != "" {
			buf = append(buf, letters...)
		} else {
			buf = append(buf, ' ')
		}
		i += n
		start = i
	}
	buf = append(buf, text[start:]...)
	return append(buf, make([]byte, padding)...)
}

// append appends the ids of the tokens of a prepared text, in order.
//
// Words are, first match wins: [A-Z]+ before [A-Z][a-z]; [A-Z]?[a-z]+; [A-Z]+;
// [0-9]+. So an upper-case run that a lower-case letter follows gives up its
// last letter, if it has another.
func (t *tokens) append(ids []int32, padded []byte) []int32 {
	text := padded[:len(padded)-padding]
	for i := 0; i < len(text); {
		class := classOf[text[i]]
		if class == separator {
			i++
			continue
		}
		start := i
		for i++; i < len(text) && classOf[text[i]] == class; i++ {
		}
		if class == upper && i < len(text) && classOf[text[i]] == lower {
			if i-start >= 2 {
				ids = t.appendWord(ids, padded, start, i-1)
				start = i - 1
			}
			for i++; i < len(text) && classOf[text[i]] == lower; i++ {
			}
		}
		ids = t.appendWord(ids, padded, start, i)
	}
	return ids
}

// lowerBits lower-cases eight ASCII letters at once; in digits the bit is set
// already.
const lowerBits = 0x2020202020202020

// appendWord appends the ids of the word padded[start:end].
func (t *tokens) appendWord(ids []int32, padded []byte, start, end int) []int32 {
	n := end - start
	if n <= shortWord {
		w := padded[start : start+padding]
		lo := binary.LittleEndian.Uint64(w) | lowerBits
		hi := binary.LittleEndian.Uint64(w[8:]) | lowerBits
		if n <= 8 {
			lo &= ^uint64(0) >> (64 - 8*n)
			hi = 0
		} else {
			hi &= ^uint64(0) >> (128 - 8*n)
		}
		if id := t.words.findShort(lo, hi); id >= 0 {
			return append(ids, id)
		}
	}
	return t.appendPieces(ids, padded[start:end])
}

// appendPieces appends the ids of a word that is long or not in the vocabulary: the
// word itself, or the longest pieces from the left. A byte that begins no
// piece is skipped.
func (t *tokens) appendPieces(ids []int32, word []byte) []int32 {
	var buf [maxPieceWord]byte
	n := copy(buf[:], word)
	for i := range n {
		buf[i] |= 0x20
	}
	if len(word) <= t.longest && n == len(word) {
		if id := t.words.find(buf[:n]); id >= 0 {
			return append(ids, id)
		}
	}
	from := t.words
	for p := 0; p < n; {
		next := p + 1
		for end := min(n, p+t.longest); end > p; end-- {
			if id := from.find(buf[p:end]); id >= 0 {
				ids = append(ids, id)
				next = end
				break
			}
		}
		p = next
		from = t.continuations
	}
	return ids
}
