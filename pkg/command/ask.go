package command

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/terminal"
)

// CanAsk reports whether a person is there to answer.
func (p *Program) CanAsk() bool { return terminal.IsTerminal(p.Stdin) && terminal.IsTerminal(p.Stderr) }

// Confirm tells a person a sentence and asks whether to index all the same. It
// is false when ctx ends first.
func (p *Program) Confirm(ctx context.Context, sentence string) bool {
	p.Note(sentence)
	return p.Agree(ctx, "Index it all the same?")
}

// Agree asks a person. It is false when ctx ends first.
func (p *Program) Agree(ctx context.Context, question string) bool {
	_, _ = fmt.Fprint(p.Stderr, question+" [y/N] ")
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be ended; the process is about to
		text, _ := bufio.NewReader(p.Stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case text := <-answer:
		return text == "y" || text == "yes"
	case <-ctx.Done():
		_, _ = fmt.Fprintln(p.Stderr)
		return false
	}
}
