package counted

import (
	"context"
	"errors"
	"fmt"
	"net/rpc"
	"os"
	"strconv"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// Client is the embedder of a process that may be killed. It is safe for
// concurrent use.
type Client struct {
	rpc     *rpc.Client
	about   About
	process string
}

var _ embed.Embedder = (*Client)(nil)

// Dial connects to a Server. The connection ends with the process.
func Dial(path string) (*Client, error) {
	r, err := rpc.Dial("unix", path)
	if err != nil {
		return nil, fmt.Errorf("look for the embedder: %w", err)
	}
	c := &Client{rpc: r, process: Process(os.Getpid())}
	if err := r.Call(serviceName+".About", struct{}{}, &c.about); err != nil {
		return nil, errors.Join(fmt.Errorf("ask the embedder what it is: %w", err), r.Close())
	}
	return c, nil
}

// Process is the name under which the process with an id is counted.
func Process(pid int) string { return strconv.Itoa(pid) }

// Identity implements embed.Embedder.
func (c *Client) Identity() string { return c.about.Identity }

// Dims implements embed.Embedder.
func (c *Client) Dims() int { return c.about.Dims }

// EmbedDocuments implements embed.Embedder.
func (c *Client) EmbedDocuments(_ context.Context, texts []string) ([]embed.Vector, []error) {
	errs := make([]error, len(texts))
	var out Result
	if err := c.rpc.Call(serviceName+".Embed", Batch{Process: c.process, Texts: texts}, &out); err != nil {
		for i := range errs {
			errs[i] = fmt.Errorf("embed: %w", err)
		}
		return make([]embed.Vector, len(texts)), errs
	}
	for i, reason := range out.Errors {
		if reason != "" {
			errs[i] = errors.New(reason)
		}
	}
	return out.Vectors, errs
}

// EmbedQuery implements embed.Embedder.
func (c *Client) EmbedQuery(_ context.Context, text string) (embed.Vector, error) {
	var out Result
	if err := c.rpc.Call(serviceName+".Embed", Batch{Process: c.process, Query: true, Texts: []string{text}}, &out); err != nil {
		return embed.Vector{}, fmt.Errorf("embed a query: %w", err)
	}
	return out.Vectors[0], nil
}
