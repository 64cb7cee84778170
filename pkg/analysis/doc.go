// Package analysis turns text into the tokens of the lexical channel. It is
// the one analyzer: a passage and a query go through the same code, whatever
// store holds the tokens.
//
// A run of letters, digits and underscores is kept whole (lower-cased) when it
// has more than one part, and each part is kept as its Porter2 stem:
// parseHTTPHeader gives parsehttpheader, pars, http, header. Prose that is found
// to be in one of eight other languages has the stems of that language as well,
// marked (~verbind), and a question is asked by them too. Text outside
// ASCII is normalised (NFKC), case-folded and freed of accents first; scripts
// that do not put spaces between words give bigrams.
package analysis
