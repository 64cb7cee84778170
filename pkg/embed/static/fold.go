package static

import "strings"

// folds lists the ASCII letters that stand for letters of Latin-1 and Latin
// Extended-A. The list is part of the model: it was trained with it.
var folds = strings.Fields(`
A ÀÁÂÃÄÅĀĂĄ  a àáâãäåāăą  C ÇĆĈĊČ  c çćĉċč  D ĎĐÐ  d ďđð
E ÈÉÊËĒĔĖĘĚ  e èéêëēĕėęě  G ĜĞĠĢ  g ĝğġģ  H ĤĦ  h ĥħ
I ÌÍÎÏĨĪĬĮİ  i ìíîïĩīĭįı  J Ĵ  j ĵ  K Ķ  k ķ  L ĹĻĽĿŁ  l ĺļľŀł
N ÑŃŅŇ  n ñńņňŉ  O ÒÓÔÕÖØŌŎŐ  o òóôõöøōŏő  R ŔŖŘ  r ŕŗř
S ŚŜŞŠ  s śŝşš  T ŢŤŦ  t ţťŧ  U ÙÚÛÜŨŪŬŮŰŲ  u ùúûüũūŭůűų
W Ŵ  w ŵ  Y ÝŸŶ  y ýÿŷ  Z ŹŻŽ  z źżž
ss ß  AE Æ  ae æ  OE Œ  oe œ
`)

// Range of the runes that folds covers.
const (
	firstFold = 0xc0
	lastFold  = 0x17f
)

// foldOf maps a rune, less firstFold, to its letters; never written to after
// it is made.
var foldOf = func() (table [lastFold - firstFold + 1]string) {
	for i := 0; i < len(folds); i += 2 {
		for _, r := range folds[i+1] {
			table[r-firstFold] = folds[i]
		}
	}
	return table
}()

// foldRune returns the ASCII letters that stand for r, or "".
func foldRune(r rune) string {
	if r < firstFold || r > lastFold {
		return ""
	}
	return foldOf[r-firstFold]
}
