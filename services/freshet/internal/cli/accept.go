package cli

import (
	"cmp"
	"context"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

// addSource asks the running instance to watch a source. One that is larger
// than the limits is asked about on a terminal, and is an error elsewhere.
func addSource(ctx context.Context, p *command.Program, nc *nats.Conn, req contract.SourceAdd) (contract.SourceList, error) {
	list, err := client.AddSource.Ask(ctx, nc, req)
	if document.KindOf(err) != document.TooLarge || req.Accept || !p.CanAsk() {
		return list, err
	}
	if !p.Confirm(ctx, render.Error(err)) {
		return list, declined(cmp.Or(req.Remote, req.Root))
	}
	req.Accept = true
	list, err = client.AddSource.Ask(ctx, nc, req)
	return list, err
}

// declined is the error after a person's no, who has read the reason.
func declined(root string) error {
	return document.Errorf(document.TooLarge, "nothing of %s is indexed", root)
}
