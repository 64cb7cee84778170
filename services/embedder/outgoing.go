package embedder

import (
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/secrets"
)

// unembedded is what is embedded for a passage that has no vector.
type unembedded struct {
	chunk document.ChunkID
	text  string
	whole bool // nothing was taken out of text
}

// missing are the texts of a job without a vector, as they may go to the embedder. A
// passage of which nothing may go to a server is bare. The error says that nothing of the
// document may.
func (s *maker) missing(j *job) (out []unembedded, err error) {
	var guard *secrets.Guard
	if _, remote := s.model.(embed.Remote); remote {
		guard = s.guard
	}
	asked := map[document.ChunkID]bool{}
	for _, content := range j.body.Contents {
		text := j.blob[content.Offset : content.Offset+content.Size]
		passages := guard.Passages(j.in.Source, text)
		for k := range content.Chunks {
			c := &content.Chunks[k]
			if _, ok := j.have[c.ID]; ok || asked[c.ID] {
				continue
			}
			asked[c.ID] = true
			compose := func(text []byte) string { return embed.Compose(j.body.Path, &c.Span, text) }
			if passages == nil {
				out = append(out, unembedded{c.ID, compose(text[c.StartByte:c.EndByte]), true})
				continue
			}
			sent, ok, err := passages.Passage(j.body.Path, c.StartByte, c.EndByte, c.StartLine, compose)
			if err != nil {
				guard.Refused()
				return nil, bus.Permanent(err)
			}
			if !ok {
				j.have[c.ID] = vectorOf{bare: true}
				continue
			}
			out = append(out, unembedded{c.ID, sent, sent == compose(text[c.StartByte:c.EndByte])})
		}
	}
	return out, nil
}
