package analysis

import (
	"strings"
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
)

// language is one of those that are told apart.
type language uint8

// unmarked is English, and whatever cannot be told: its stemmer does little to
// words of another language.
const unmarked language = 0

// foreignLanguage is one beside English.
type foreignLanguage struct {
	stem func(*snowballstem.Env) bool
	// words are those that prose has in every other sentence, without those
	// that are English words as well.
	words string
}

// foreignLanguages stand at their language minus one.
var foreignLanguages = [...]foreignLanguage{
	{german.Stem, `der die das und ist nicht ein eine einen einem einer eines mit von zu zur zum auf für im den dem des sich werden wird wurde wurden sind auch es als bei aus nach wie kann können oder wenn durch über nur noch hat haben diese dieser dieses diesem dass mehr sie wir ihr ihre ihren vor bis unter zwischen welche welcher muss müssen sowie aber keine kein vom beim damit dann immer jede jeder soll`},
	{french.Stem, `le la les un une des du de et est ne pas que qui dans pour par sur avec ce cette ces son sa ses au aux plus sont être ou mais comme leur leurs nous vous il elle ils elles fait peut peuvent entre sans lorsque si se cet ont même aussi après tout tous toutes chaque doit être été ainsi donc quand`},
	{spanish.Stem, `el la los las un una unos de del y en que es por para con se su sus al lo como más pero este esta estos estas cuando si sin sobre entre ser son ha han puede pueden desde hasta también donde cada muy todo todos todas hay porque debe según así cómo qué`},
	{italian.Stem, `il lo la gli le un uno una di del della dei delle dell che non si su da dal dalla nel nella nei sono essere più ma questo questa questi quando anche se tra ha hanno può possono ogni alla alle al ai dopo prima tutti tutte deve come è cui sul sulla`},
	{portuguese.Stem, `os um uma de da dos das em na nas que para com não por se mais como mas ao aos ou ser são foi está este esta quando pelo pela entre tem têm pode podem até também cada sem sobre todos todas deve é seu sua isso`},
	{dutch.Stem, `de het een en van niet dat die voor wordt worden zijn naar ook maar deze dit kan kunnen bij als dan om er op aan wij heeft hebben geen moet moeten uit tot nog wel meer hun waarin waar elke wanneer`},
	{swedish.Stem, `och att det som en ett är inte den av till med har de om kan på vid från eller när ska skall blir denna detta dessa genom efter mellan utan alla mycket också varje måste`},
	{russian.Stem, `и в не на что с по для от из это как к при или если а но же то его её их бы также которые который которая может могут быть у за о так все только после когда чтобы должен`},
	{arabic.Stem, `في من على إلى عن أن إن هذا هذه التي الذي ما ماذا متى أين كيف كم هل هو هي كان كانت لا لم قد مع بين أو ثم كل بعد قبل عند حيث إذا كما أي غير ذلك تم خلال منذ حتى بعض يتم يكون عام`},
}

// telling holds, for a lower-case word with its accents and without, a bit for
// each language that has it; bit 0 is English.
var telling = func() map[string]uint16 {
	bits := make(map[string]uint16)
	for w := range stopWords {
		bits[w] |= 1
	}
	for i, l := range foreignLanguages {
		for w := range strings.FieldsSeq(l.words) {
			bits[w] |= 2 << i
			bits[fold(w)] |= 2 << i
		}
	}
	return bits
}()

// What a text needs to be taken for one in another language than English: so
// many telling words, one in so many of all. Prose has one in three.
const (
	leastTelling = 2
	tellingShare = 8
)

// detect returns the language of a text. One with too few words that tell is
// unmarked.
func detect(text []byte) language {
	hits, words := tell(text)
	best, second := 0, -1
	for i := 1; i < len(hits); i++ {
		if hits[i] > hits[best] {
			best = i
		}
	}
	for i, n := range hits {
		if i != best {
			second = max(second, n)
		}
	}
	if hits[best] < leastTelling || hits[best] == second || hits[best]*tellingShare < words {
		return unmarked
	}
	return language(best)
}

// languagesOf returns those beside English that a query may be in, and whether it
// tells which: one telling word alone may be the name of something (MIT, DER).
func languagesOf(text string) (in []language, told bool) {
	hits, _ := tell([]byte(text))
	best := 0
	for _, n := range hits {
		best = max(best, n)
	}
	if best > 0 && hits[0] == best {
		return nil, false
	}
	for i := 1; i < len(hits); i++ {
		if best < leastTelling || hits[i] == best {
			in = append(in, language(i))
		}
	}
	return in, len(in) == 1
}

// isTelling reports whether a word is one that tells a language, which says how
// a question is asked and not what it is about.
func isTelling(l language, word string) bool {
	return telling[strings.ToLower(word)]>>l&1 == 1
}

// tell counts the words of a text, and those that tell each language; English is
// the first.
func tell(text []byte) (hits [len(foreignLanguages) + 1]int, words int) {
	s := scanner{text: text}
	for {
		k, piece, ok := s.next()
		if !ok {
			return hits, words
		}
		if len(piece) > maxWord {
			continue
		}
		var bits uint16
		if k == asciiRun {
			var lower [maxWord]byte
			for i, c := range piece {
				if isUpper(c) {
					c |= 0x20
				}
				lower[i] = c
			}
			bits = telling[string(lower[:len(piece)])]
		} else {
			bits = telling[strings.ToLower(string(piece))] // a fold is ten times the work
		}
		words++
		for i := range hits {
			hits[i] += int(bits >> i & 1)
		}
	}
}

// stemMark begins the stem of another language than English, which no word of a
// text can begin with.
const stemMark = "~"

// IsMarked reports whether a token is such a stem.
func IsMarked(token string) bool { return strings.HasPrefix(token, stemMark) }

// marked returns the token of a word's stem in a language, and "" where it has
// none: what says how a question is asked, a name of several parts, a number. A
// word that is its own stem has one, too, since others have it as theirs.
func (a *Analyzer) marked(l language, n *name) string {
	if l == unmarked || n.whole != "" || len(n.parts) != 1 {
		return ""
	}
	word := n.parts[0]
	lower := word
	if n.lower != "" {
		lower = n.lower
	}
	if len(lower) < 3 || strings.ContainsFunc(lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		return ""
	}
	if telling[word]>>l&1 == 1 {
		return ""
	}
	env := snowballstem.NewEnv(lower)
	foreignLanguages[l-1].stem(env)
	stem := fold(env.Current())
	if stem == "" {
		return ""
	}
	return stemMark + stem
}
