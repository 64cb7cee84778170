package trigram

import "slices"

// Need is what a line, and so the block of a text that it lies in, must hold to
// match: all of some
// trigrams, and all of some choices. The zero Need is met by every text.
type Need struct {
	all    []gram
	choice []options
	// odd says that a text with an odd letter is to be read in any case.
	odd bool
}

// options are needs of which one has to be met.
type options []Need

// Any reports whether every text meets the need: nothing is known that has to
// stand there.
func (n Need) Any() bool { return len(n.all) == 0 && len(n.choice) == 0 }

// Met reports whether a text may meet the need.
func (n Need) Met(s Signature) bool {
	return n.Any() || n.odd && s.odd || slices.ContainsFunc(s.blocks, n.met)
}

func (n Need) met(b block) bool {
	for _, g := range n.all {
		if !b.has(g) {
			return false
		}
	}
	for _, choice := range n.choice {
		if !slices.ContainsFunc(choice, func(o Need) bool { return o.met(b) }) {
			return false
		}
	}
	return true
}

// and is what has both needs.
func (n Need) and(other Need) Need {
	return Need{all: slices.Concat(n.all, other.all), choice: slices.Concat(n.choice, other.choice)}
}

// oneOf is what has one of some needs.
func oneOf(needs ...Need) Need {
	switch {
	case len(needs) == 0 || slices.ContainsFunc(needs, Need.Any):
		return Need{}
	case len(needs) == 1:
		return needs[0]
	}
	return Need{choice: []options{needs}}
}

// holding is what holds one of some texts.
func holding(texts []string) Need {
	needs := make([]Need, len(texts))
	for i, text := range texts {
		needs[i] = Need{all: gramsOf(text)}
	}
	return oneOf(needs...)
}

// gramsOf are the trigrams of a text in lower case, each once.
func gramsOf(text string) (out []gram) {
	for i := range len(text) - gramLen + 1 {
		if text[i] == '\n' || text[i+1] == '\n' || text[i+2] == '\n' {
			continue // no signature has it
		}
		out = append(out, gram(text[i])<<16|gram(text[i+1])<<8|gram(text[i+2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
