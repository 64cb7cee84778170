package contract_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Whatever stands in CHUNKS, nobody slices a text by ranges that it has not got,
// or shows another one.
func TestPassagesOutsideOfTheirText_AreRefused(t *testing.T) {
	const text = "the heron stands in the weir"
	whole := func() document.Content {
		return document.Content{Hash: document.HashOf([]byte(text)), Size: len(text), Chunks: []document.Chunk{{Span: document.Span{EndByte: len(text)}}}}
	}
	for what, c := range map[string]struct {
		change func(*document.Content)
		text   string
		says   string
	}{
		"all is well":                  {func(*document.Content) {}, text, ""},
		"a text that is cut off":       {func(*document.Content) {}, text[:20], "outside its message"},
		"another text":                 {func(*document.Content) {}, strings.Replace(text, "heron", "raven", 1), "has the hash"},
		"an offset that is negative":   {func(c *document.Content) { c.Offset = -1 }, text, "outside its message"},
		"a size that is negative":      {func(c *document.Content) { c.Size = -1 }, text, "outside its message"},
		"an end that overflows":        {func(c *document.Content) { c.Offset, c.Size = 1<<62, 1<<62 }, text, "outside its message"},
		"a chunk behind the end":       {func(c *document.Content) { c.Chunks[0].EndByte++ }, text, "outside its content"},
		"a chunk before the beginning": {func(c *document.Content) { c.Chunks[0].StartByte = -1 }, text, "outside its content"},
		"a chunk that ends too early":  {func(c *document.Content) { c.Chunks[0].StartByte, c.Chunks[0].EndByte = 3, 2 }, text, "outside its content"},
	} {
		content, header := whole(), nats.Header{}
		c.change(&content)
		body, err := contract.JoinBody(header, contract.ChunksBody{Contents: []document.Content{content}}, []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = contract.SplitChunks(header, body)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
