package analysis

// Classes of byte.
const (
	separator = iota
	word      // ASCII letter, digit or underscore
	other     // part of a rune outside ASCII
)

// classOf maps a byte to its class; it is never written to after it is made.
var classOf = func() (table [256]uint8) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = other
		case c == '_', c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			table[c] = word
		}
	}
	return table
}()

// Kinds of piece that a scanner finds.
type kind int

const (
	asciiRun kind = iota // word bytes
	compound             // ASCII runs joined by hyphens; its runs follow
	foreign              // word bytes and runes outside ASCII
)

// scanner cuts a text into pieces. Passages and queries both use it, so that
// they cannot come apart.
type scanner struct {
	text        []byte
	compounds   bool // report compounds
	pos         int
	compoundEnd int
}

// next returns the next piece, a part of the text, and false at its end.
func (s *scanner) next() (kind, []byte, bool) {
	text := s.text
	for s.pos < len(text) {
		if classOf[text[s.pos]] == separator {
			s.pos++
			continue
		}
		start, i := s.pos, s.pos
		for i < len(text) && classOf[text[i]] == word {
			i++
		}
		if i < len(text) && classOf[text[i]] == other {
			for i < len(text) && classOf[text[i]] != separator {
				i++
			}
			s.pos = i
			return foreign, text[start:i], true
		}
		if s.compounds && start >= s.compoundEnd && i+1 < len(text) && text[i] == '-' && classOf[text[i+1]] == word {
			s.compoundEnd = endOfCompound(text, i)
			if s.compoundEnd-start <= maxWord {
				return compound, text[start:s.compoundEnd], true
			}
		}
		s.pos = i
		if i-start > maxRun || i-start == 1 && isElision(text, start) {
			continue
		}
		return asciiRun, text[start:i], true
	}
	return 0, nil, false
}

// isElision reports whether the single byte at i is what an apostrophe leaves
// behind: the s of "server's", the t of "don't".
func isElision(text []byte, i int) bool {
	return i >= 2 && text[i-1] == '\'' && isLetter(text[i-2]) && isLetter(text[i])
}

// endOfCompound returns where the runs that hyphens join end; i is the first
// hyphen.
func endOfCompound(text []byte, i int) int {
	for i+1 < len(text) && text[i] == '-' && classOf[text[i+1]] == word {
		i++
		for i < len(text) && classOf[text[i]] == word {
			i++
		}
	}
	return i
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
