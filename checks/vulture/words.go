package vulture

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// common are words that many files share, so that plain queries find much.
var common = strings.Fields(`parse buffer stream index token reader writer cursor
	header packet socket config option record column window signal handler queue
	branch commit worker client server cache lease folder passage vector segment
	snapshot address network encode decode append merge filter search answer`)

// syllables make words that no file of the real world holds and that no
// analyzer takes apart or stems: consonant and vowel in turns.
const (
	consonants = "bdgklmnprtvz"
	vowels     = "aiou"
)

// words gives out words that are used once in a run.
type words struct {
	rng  *rand.Rand
	next int
	base int // first number of this writer
}

const (
	wordSyllables = 6
	// wordsPerWriter is what a writer may use up; (12·4)^6 words exist.
	wordsPerWriter = 1 << 28
)

// unique returns a word of 14 letters that no other call returns. Numbers are
// scattered by a multiplication with an odd constant, so that neighbours do
// not look alike.
func (w *words) unique() string {
	const all = 48 * 48 * 48 * 48 * 48 * 48 // syllables to the power of wordSyllables
	// The factor is prime and does not divide all, so different
	// numbers give different words.
	n := (w.base + w.next) * 1_000_003 % all
	w.next++
	b := make([]byte, 0, 2*wordSyllables+2)
	b = append(b, 'q')
	for range wordSyllables {
		b = append(b, consonants[n%len(consonants)])
		n /= len(consonants)
		b = append(b, vowels[n%len(vowels)])
		n /= len(vowels)
	}
	return string(append(b, 'x'))
}

// sentence returns n common words.
func (w *words) sentence(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(common[w.rng.IntN(len(common))])
	}
	return b.String()
}

// plain returns a query of common words.
func plainQuery(rng *rand.Rand) string {
	w := words{rng: rng}
	return w.sentence(1 + rng.IntN(3))
}

// uniqueWord matches what unique returns.
var uniqueWord = regexp.MustCompile(`\bq(?:[bdgklmnprtvz][aiou]){6}x\b`)
