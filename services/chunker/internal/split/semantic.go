package split

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

const (
	// windowed is how many sentences on each side of a border are compared: one alone
	// has too few words to tell what it is about.
	windowed = 4
	// weighed is how many sentences are looked at together, which bounds memory and
	// time however long a text is.
	weighed = 2000
)

// semantic cuts where what is said before and behind a border has least to do with each
// other: the valleys of TextTiling (Hearst, Computational Linguistics 23(1), 1997), with
// vectors in the place of counts of words. A valley is a border of passages where it is
// deeper than the mean, or where the passage would be too long. No passage has less than
// a quarter of the size for the sake of a valley.
func (c *cutter) semantic(vectors func(texts []string) []embed.Vector) []document.Span {
	c.kinds, c.strict = []int{atSentence, atParagraph, atLine, atWord}, true
	for all := range slices.Chunk(c.sentences(), weighed) {
		m := meaning{cutter: c, sentences: all, depths: depths(c.closeness(all, vectors))}
		for _, d := range m.depths {
			m.deep += d / float64(len(m.depths))
		}
		m.divide(0, len(all))
	}
	return c.spans
}

// stretch is a sentence, with the white space behind it.
type stretch struct{ start, end int }

// sentences are those of the text, without a gap. A paragraph ends one.
func (c *cutter) sentences() (out []stretch) {
	first, last, ok := c.text.trim(0, c.text.Lines()-1)
	if !ok {
		return nil
	}
	start, end := c.text.Start(first), c.text.End(last)
	for at := start + 1; at <= end; at++ {
		if at == end || c.separates(at, atSentence) || c.separates(at, atParagraph) {
			if len(trimSpace(c.text.Bytes[start:at])) == 0 && len(out) > 0 {
				out[len(out)-1].end = at // blank lines belong to the sentence before them
			} else {
				out = append(out, stretch{start, at})
			}
			start = at
		}
	}
	return out
}

// closeness tells of each border between sentences, the i-th being that before all[i+1],
// how near in meaning what stands before it and behind it is: a cosine. Where the model
// knows no word of a side they count as alike.
func (c *cutter) closeness(all []stretch, vectors func(texts []string) []embed.Vector) []float64 {
	if len(all) < 2 {
		return nil
	}
	// Before the border stand all[i+1-windowed:i+1], and less at the beginning.
	var texts []string
	for i := 1; i < min(windowed, len(all)); i++ {
		texts = append(texts, string(c.text.Bytes[all[0].start:all[i-1].end]))
	}
	short := len(texts)
	for i := range all {
		texts = append(texts, string(c.text.Bytes[all[i].start:all[min(i+windowed, len(all))-1].end]))
	}
	windows := vectors(texts)
	out := make([]float64, len(all)-1)
	for i := range out {
		before := i // of the short ones
		if i >= short {
			before = short + i + 1 - windowed
		}
		out[i] = cosine(windows[before], windows[short+i+1])
	}
	return out
}

// cosine is the same on every machine: whole numbers are summed, and nothing is fused.
func cosine(a, b embed.Vector) float64 {
	if a.IsZero() || b.IsZero() {
		return 1
	}
	sum := 0
	for i, v := range a.Data {
		sum += int(v) * int(b.Data[i])
	}
	return float64(sum) * float64(a.Scale) * float64(b.Scale)
}

// depths is how far below the nearest peaks on both sides each closeness lies.
func depths(closeness []float64) []float64 {
	out := make([]float64, len(closeness))
	for i, here := range closeness {
		left, right := here, here
		for k := i - 1; k >= 0 && closeness[k] >= left; k-- {
			left = closeness[k]
		}
		for k := i + 1; k < len(closeness) && closeness[k] >= right; k++ {
			right = closeness[k]
		}
		out[i] = (left - here) + (right - here)
	}
	return out
}

// meaning is a run of sentences that is cut by the depths of its borders.
type meaning struct {
	*cutter
	sentences []stretch
	depths    []float64 // of the border behind each sentence but the last
	deep      float64   // what is deeper is a border by itself: their mean
}

// divide cuts the sentences [from, to) at their deepest border, and each side again,
// until what is left fits and has no pronounced border.
func (m *meaning) divide(from, to int) {
	for {
		start, end := m.sentences[from].start, m.sentences[to-1].end
		for end > start && isSpace(m.text.Bytes[end-1]) {
			end--
		}
		at := m.deepest(from, to)
		if at == 0 || m.depths[at-1] <= m.deep && m.fits(start, end) {
			m.section(start, end, nil, nil)
			return
		}
		m.divide(from, at)
		from = at
	}
}

// deepest is the sentence before which the deepest border of [from, to) is that leaves
// enough on both sides, 0 where there is none.
func (m *meaning) deepest(from, to int) (at int) {
	least := m.limit / 4
	if m.tokens != nil {
		least = m.limit // bytes: a token has about four
	}
	deepest := 0.0
	for i := from + 1; i < to; i++ {
		if m.sentences[i].start-m.sentences[from].start < least {
			continue
		}
		if m.sentences[to-1].end-m.sentences[i].start < least {
			break
		}
		if d := m.depths[i-1]; d > deepest {
			at, deepest = i, d
		}
	}
	return at
}
