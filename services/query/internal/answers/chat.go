package answers

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/provider"
)

const (
	// maxEvent bounds one event of a stream in bytes: a model says a word or two in
	// each.
	maxEvent = 1 << 20
	// maxText bounds all that a model says to one question, in bytes.
	maxText = 256 << 10
)

// Chat asks a server that speaks OpenAI's POST /chat/completions, streamed: OpenAI
// itself, Azure, vLLM, llama.cpp, Ollama and many more.
type Chat struct {
	Server      *provider.Client
	Model       string
	Temperature float64
	MaxTokens   int // that it may write
}

type chatRequest struct {
	Model       string    `json:"model,omitempty"`
	Messages    []Message `json:"messages"`
	Temperature float64   `json:"temperature"`
	MaxTokens   int       `json:"max_tokens"`
	Stream      bool      `json:"stream"`
	// Options asks for the tokens in an event of their own; servers that do not know
	// it leave them out.
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// chatEvent is one event. The one with the tokens has no choices.
type chatEvent struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// done is what the last event says.
var done = []byte("[DONE]")

// Write implements Model.
func (c *Chat) Write(ctx context.Context, messages []Message, each func(string) error) (Usage, error) {
	req := chatRequest{Model: c.Model, Messages: messages, Temperature: c.Temperature, MaxTokens: c.MaxTokens, Stream: true}
	req.Options.Usage = true
	body, err := c.Server.Open(ctx, req, "text/event-stream")
	if err != nil {
		return Usage{}, err
	}
	defer body.Close()
	return c.read(ctx, body, each)
}

// read takes a stream of events (the lines of text/event-stream that begin with
// data:) to its end, which has to be told: one that only stops is cut off.
func (c *Chat) read(ctx context.Context, body io.Reader, each func(string) error) (Usage, error) {
	var usage Usage
	said, finished := 0, false
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxEvent)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, the name of an event, or the line between two
		}
		if data = bytes.TrimSpace(data); bytes.Equal(data, done) {
			return usage, nil
		}
		var e chatEvent
		if err := json.Unmarshal(data, &e); err != nil {
			return usage, document.Errorf(document.Unavailable, "%s answers in an unknown form: %w", c.Server.URL, err)
		}
		if len(e.Error) > 0 && !bytes.Equal(e.Error, []byte("null")) {
			return usage, document.Errorf(document.Unavailable, "%s broke off its answer: %s", c.Server.URL, c.Server.Words(data))
		}
		if u := e.Usage; u != nil {
			usage.In, usage.Out, usage.Counted = max(u.In, 0), max(u.Out, 0), true
		}
		for _, choice := range e.Choices {
			if said += len(choice.Delta.Content); said > maxText {
				return usage, document.Errorf(document.Unavailable, "%s says more than %d bytes", c.Server.URL, maxText)
			}
			finished, usage.Cut = finished || choice.Finish != "", usage.Cut || choice.Finish == "length"
			if choice.Delta.Content == "" {
				continue
			}
			if err := each(choice.Delta.Content); err != nil {
				return usage, err
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return usage, document.Errorf(document.Unavailable, "%s answers with an event of more than %d bytes", c.Server.URL, maxEvent)
	case err != nil:
		return usage, c.Server.Broken(ctx, "broke off its answer", err)
	case !finished:
		return usage, c.Server.Broken(ctx, "broke off its answer", io.ErrUnexpectedEOF)
	}
	return usage, nil
}
