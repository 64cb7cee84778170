package vulture

import (
	"errors"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What does not come in time on a busy machine is asked for again; what is wrong is
// not, and neither is what never comes.
func TestSlowAnswerAtRest_IsAskedForAgain(t *testing.T) {
	late, wrong := document.Errorf(document.Deadline, "too late"), errors.New("wrong")
	for name, c := range map[string]struct {
		comes []error
		want  error
		asked int
	}{
		"late once":  {[]error{late, nil}, nil, 2},
		"wrong":      {[]error{wrong, nil}, wrong, 1},
		"never":      {[]error{late}, late, insistence},
		"then wrong": {[]error{late, wrong}, wrong, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			err := insist(t.Context(), func() error {
				n++
				return c.comes[min(n, len(c.comes))-1]
			})
			if !errors.Is(err, c.want) || n != c.asked {
				t.Errorf("asked %d times: %v", n, err)
			}
		})
	}
}
