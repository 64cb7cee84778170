package query

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// offer names what can be done about the sentence that degrade added last.
func (q *search) offer(actions ...document.Action) {
	last := q.reply.Degraded[len(q.reply.Degraded)-1]
	q.reply.Actions = append(q.reply.Actions, document.About(last, actions...)...)
}

// worsen adds a sentence to what does not work as it should, and what can be done
// about it.
func worsen(r *contract.StatusReply, sentence string, actions ...document.Action) {
	r.Degraded = append(r.Degraded, sentence)
	r.Actions = append(r.Actions, document.About(sentence, actions...)...)
}
