package grep

import (
	"testing"

	"github.com/freshet-dev/freshet/services/query/internal/trigram"
)

// Whatever pattern matches a line of a text: by its trigrams the text may match.
func TestDocumentWithAMatch_IsNotPassedOver(t *testing.T) {
	maker := trigram.NewMaker()
	for _, in := range patterns {
		p, err := compile(in)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range texts {
			if lines := reference(in, text); len(lines) > 0 && !p.need.Met(maker.Sign([]byte(text))) {
				t.Errorf("%+v matches %q of %s, which is passed over", in, lines[0].text, name)
			}
		}
	}
}
