package analysis

import "strings"

// stopWords are English words that say how a question is asked and not what
// it is about. They are indexed (for, if and with are also names), and left
// out of queries in natural language.
var stopWords = wordSet(`
a about after again all also am an and any are as at be because been before
being between both but by can could did do does doing done down during each
either else ever every few for from further had has have having he her here
hers him his how i if in into is it its itself just let like many may me might
more most much must my no nor not of off on once only or other our ours out
over own per please same shall she should so some such than that the their
theirs them then there these they this those through thus to too under until
up upon us use used uses using very via was we were what when where whether
which while who whom whose why will with within without would yes you your
`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
