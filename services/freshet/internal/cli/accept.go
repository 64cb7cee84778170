package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
)

// addSource asks the running instance to watch a source. One that is larger
// than the limits is asked about on a terminal, and is an error elsewhere.
func (p *Program) addSource(ctx context.Context, nc *nats.Conn, req contract.SourceAdd) (contract.SourceList, error) {
	list, err := client.AddSource.Ask(ctx, nc, req)
	if document.KindOf(err) != document.TooLarge || req.Accept || !p.canAsk() {
		return list, err
	}
	if !p.confirm(ctx, liveLine{}, render.Error(err)) {
		return list, declined(req.Root)
	}
	req.Accept = true
	list, err = client.AddSource.Ask(ctx, nc, req)
	return list, err
}

// declined is the error after a person's no, who has read the reason.
func declined(root string) error {
	return document.Errorf(document.TooLarge, "nothing of %s is indexed", root)
}

// canAsk reports whether a person is there to answer.
func (p *Program) canAsk() bool { return terminal.IsTerminal(p.Stdin) && terminal.IsTerminal(p.Stderr) }

// confirm tells a person a sentence and asks whether to index all the same. It
// is false when ctx ends first.
func (p *Program) confirm(ctx context.Context, line liveLine, sentence string) bool {
	line.clear()
	p.note(sentence)
	_, _ = fmt.Fprint(p.Stderr, "Index it all the same? [y/N] ")
	answer := make(chan string, 1)
	go func() { // a read of a terminal cannot be ended; the process is about to
		text, _ := bufio.NewReader(p.Stdin).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case text := <-answer:
		return text == "y" || text == "yes"
	case <-ctx.Done():
		return false
	}
}
