package contract

import "github.com/freshet-dev/freshet/pkg/document"

// UnreadBody is a message on freshet.unread: the newest message of a document in
// a stream cannot be read, so what stands in it has to be made again. Losing one
// costs nothing: whoever tries to read the message says it again.
type UnreadBody struct {
	Stream string          `json:"stream"`
	Source document.Source `json:"source"`
	Doc    document.DocID  `json:"doc"`
}
