package query

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// worsen adds a sentence to what does not work as it should, and what can be done
// about it.
func worsen(r *contract.StatusReply, sentence string, actions ...document.Action) {
	r.Degraded = append(r.Degraded, sentence)
	r.Actions = append(r.Actions, document.About(sentence, actions...)...)
}
