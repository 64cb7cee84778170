package static

import (
	"fmt"
	"math/bits"
	"strings"
)

// vocabulary finds ids by word. Words of up to 16 bytes are looked up in an
// open-addressing table under their bytes as two integers, without making a
// string; the few longer ones in a map.
type vocabulary struct {
	slots []slot
	long  map[string]int32
}

type slot struct {
	lo, hi uint64 // bytes 0–7 and 8–15 of the word, little-endian
	id     int32  // -1 in an empty slot
}

const (
	shortWord = 16
	// vocabularySlots keeps the table at most three quarters full.
	vocabularySlots = 1 << 15
)

func newVocabulary() *vocabulary {
	v := &vocabulary{slots: make([]slot, vocabularySlots), long: make(map[string]int32)}
	for i := range v.slots {
		v.slots[i].id = -1
	}
	return v
}

// add enters a word of lower-case ASCII letters or digits.
func (v *vocabulary) add(word string, id int32) error {
	if word == "" || v.find([]byte(word)) >= 0 {
		return fmt.Errorf("token %d, %q, is empty or not the first", id, word)
	}
	if len(word) > shortWord {
		v.long[word] = id
		return nil
	}
	lo, hi := pack([]byte(word))
	i := place(lo, hi)
	for v.slots[i].id >= 0 {
		i = (i + 1) % vocabularySlots
	}
	v.slots[i] = slot{lo: lo, hi: hi, id: id}
	return nil
}

// find returns the id of a lower-case word, or -1.
func (v *vocabulary) find(word []byte) int32 {
	if len(word) > shortWord {
		if id, ok := v.long[string(word)]; ok {
			return id
		}
		return -1
	}
	lo, hi := pack(word)
	return v.findShort(lo, hi)
}

func (v *vocabulary) findShort(lo, hi uint64) int32 {
	for i := place(lo, hi); ; i = (i + 1) % vocabularySlots {
		s := &v.slots[i]
		if s.lo == lo && s.hi == hi || s.id < 0 {
			return s.id
		}
	}
}

// pack returns the bytes of a word of at most 16 bytes as two integers. The
// words have no zero byte, so the integers determine the length too.
func pack(word []byte) (lo, hi uint64) {
	for i, c := range word {
		if i < 8 {
			lo |= uint64(c) << (8 * i)
		} else {
			hi |= uint64(c) << (8 * (i - 8))
		}
	}
	return lo, hi
}

// place mixes the two halves into a slot number (multiply and fold, constants
// from the digits of pi).
func place(lo, hi uint64) uint64 {
	a, b := bits.Mul64(lo^0x243f6a8885a308d3, hi^0x13198a2e03707344)
	return (a ^ b) % vocabularySlots
}

// tokens holds whole words and first pieces in one vocabulary, continuations
// (written with ## in the file) in another.
type tokens struct {
	words, continuations *vocabulary
	longest              int // bytes of the longest token, without ##
}

func newTokens(list []string) (*tokens, error) {
	t := &tokens{words: newVocabulary(), continuations: newVocabulary()}
	for id, token := range list {
		into := t.words
		word, continued := strings.CutPrefix(token, "##")
		if continued {
			into = t.continuations
		}
		if err := into.add(word, int32(id)); err != nil {
			return nil, err
		}
		t.longest = max(t.longest, len(word))
	}
	return t, nil
}
