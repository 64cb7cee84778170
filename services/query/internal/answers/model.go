package answers

import (
	"context"
	"strings"
)

// Message is one turn of what a model is given.
type Message struct {
	Role string `json:"role"` // system, user or assistant
	Text string `json:"content"`
}

// Usage are the tokens of one answer, as the server counted them.
type Usage struct {
	In, Out int
	Counted bool // false: the server did not say
	Cut     bool // it came to the tokens that it may write
}

// Say has a model write, and returns all of it.
func Say(ctx context.Context, m Model, messages []Message) (string, Usage, error) {
	var said strings.Builder
	usage, err := m.Write(ctx, messages, func(text string) error {
		said.WriteString(text)
		return nil
	})
	return said.String(), usage, err
}

// Model writes text. Implementations are safe for concurrent use.
type Model interface {
	// Write hands what the model says to each as it comes, in one goroutine, until it
	// is done, ctx ends or each fails. Errors are *document.Error, or those of ctx and
	// each.
	Write(ctx context.Context, messages []Message, each func(text string) error) (Usage, error)
}
