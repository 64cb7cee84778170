package transformer

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// words cuts texts into the pieces that a BERT model knows (Wu et al., "Google's Neural
// Machine Translation System", 2016, as BERT's own tokenizer does it): words are cut at
// white space and around marks and Chinese characters, letters lose case and accents
// where the model wants that, and each word is the longest known pieces from the left.
type words struct {
	ids     map[string]int32
	special []specialWord
	cased   bool

	unknown, begin, end int32
}

// specialWord is one that texts name as it is.
type specialWord struct {
	text string
	id   int32
}

// longestWord is how many characters a word may have; a longer one is unknown.
const longestWord = 100

func newWords(vocabulary []byte, count int, cased bool) (*words, error) {
	w := &words{ids: make(map[string]int32, count), cased: cased}
	lines := bufio.NewScanner(bytes.NewReader(vocabulary))
	var n int32
	for ; lines.Scan(); n++ {
		w.ids[strings.TrimRight(lines.Text(), "\r")] = n
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if int(n) > count {
		return nil, fmt.Errorf("it has %d words, and the model %d", n, count)
	}
	for _, name := range []string{"[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"} {
		id, ok := w.ids[name]
		if !ok {
			return nil, fmt.Errorf("it has no %s", name)
		}
		w.special = append(w.special, specialWord{name, id})
	}
	w.unknown, w.begin, w.end = w.special[0].id, w.special[1].id, w.special[2].id
	return w, nil
}

// cut returns the ids of a text with those that begin and end it, at most limit.
func (w *words) cut(text string, limit int) []int32 {
	ids := []int32{w.begin}
	for len(text) > 0 && len(ids) < limit {
		at, named := len(text), specialWord{}
		if open := strings.IndexByte(text, '['); open >= 0 {
			at, named = w.specialIn(text, open)
		}
		ids = w.plain(ids, text[:at], limit)
		text = text[at:]
		if named.text != "" && len(ids) < limit {
			ids, text = append(ids, named.id), text[len(named.text):]
		}
	}
	return append(ids[:min(len(ids), limit-1)], w.end)
}

// specialIn returns where the first special word is in a text, and which.
func (w *words) specialIn(text string, from int) (int, specialWord) {
	for i := from; i < len(text); i++ {
		if text[i] != '[' {
			continue
		}
		for _, s := range w.special {
			if strings.HasPrefix(text[i:], s.text) {
				return i, s
			}
		}
	}
	return len(text), specialWord{}
}

// plain appends the ids of a text without special words, until there are limit.
func (w *words) plain(ids []int32, text string, limit int) []int32 {
	var word []byte
	flush := func() {
		if len(word) > 0 {
			ids = w.pieces(ids, word)
			word = word[:0]
		}
	}
	each := func(r rune) {
		switch {
		case unicode.IsSpace(r):
			flush()
		case isMark(r) || isHan(r):
			flush()
			word = utf8.AppendRune(word, r)
			flush()
		default:
			word = utf8.AppendRune(word, r)
		}
	}
	for i := 0; i < len(text) && len(ids) < limit; {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			switch {
			case c == '\t' || c == '\n' || c == '\r':
				flush()
			case c < ' ' || c == 0x7f: // controls are nothing
			case !w.cased && 'A' <= c && c <= 'Z':
				word = append(word, c+'a'-'A')
			default:
				each(rune(c))
			}
			continue
		}
		// A run of other characters is decomposed as a whole, since accents may be
		// characters of their own.
		end := i
		for end < len(text) && text[end] >= utf8.RuneSelf {
			end++
		}
		w.foreign(text[i:end], each)
		i = end
	}
	flush()
	return ids
}

// foreign hands on the characters of a text outside ASCII as the model takes them.
func (w *words) foreign(text string, each func(rune)) {
	if !w.cased {
		text = norm.NFD.String(text)
	}
	for _, r := range text {
		switch {
		case r == utf8.RuneError || isControl(r):
		case w.cased:
			each(r)
		case unicode.Is(unicode.Mn, r): // an accent
		default:
			each(unicode.ToLower(r))
		}
	}
}

// pieces appends the ids of a word.
func (w *words) pieces(ids []int32, word []byte) []int32 {
	if utf8.RuneCount(word) > longestWord {
		return append(ids, w.unknown)
	}
	before, buf := len(ids), make([]byte, 0, 64)
	for start := 0; start < len(word); {
		found := false
		for end := len(word); end > start; end-- {
			if end < len(word) && !utf8.RuneStart(word[end]) {
				continue
			}
			piece := word[start:end]
			if start > 0 {
				buf = append(append(buf[:0], "##"...), piece...)
				piece = buf
			}
			if id, ok := w.ids[string(piece)]; ok {
				ids, start, found = append(ids, id), end, true
				break
			}
		}
		if !found {
			return append(ids[:before], w.unknown)
		}
	}
	return ids
}

// isMark reports whether a character is a word of its own.
func isMark(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.Is(unicode.P, r)
}

// isControl reports whether a character is dropped.
func isControl(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co) }

// isHan reports whether a character is a Chinese one, in the ranges that BERT has.
func isHan(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3400 <= r && r <= 0x4DBF || 0x20000 <= r && r <= 0x2A6DF ||
		0x2A700 <= r && r <= 0x2B73F || 0x2B740 <= r && r <= 0x2B81F || 0x2B820 <= r && r <= 0x2CEAF ||
		0xF900 <= r && r <= 0xFAFF || 0x2F800 <= r && r <= 0x2FA1F
}
