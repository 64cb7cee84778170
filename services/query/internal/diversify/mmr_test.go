package diversify

import (
	"slices"
	"testing"
)

func TestCopies_StandBehindWhatIsUnlike(t *testing.T) {
	texts := [][]byte{
		[]byte("rotate the session ticket keys"), []byte("Rotate the session, ticket: KEYS"), []byte("rotate the session ticket key"),
		[]byte("close idle connections"), []byte(""),
	}
	scores := []float64{1, .99, .9, .7, .1}
	for name, c := range map[string]struct {
		lambda float64
		want   []int
	}{
		"relevance alone": {1, []int{0, 1, 2, 3, 4}},
		"mostly":          {.7, []int{0, 3, 2, 1, 4}},
	} {
		if got := Order(scores, texts, c.lambda); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	if got := Order(nil, nil, .7); len(got) != 0 {
		t.Errorf("%v of nothing", got)
	}
	if got := Order([]float64{0, 0}, [][]byte{nil, nil}, .7); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("%v of scores of zero", got)
	}
}
