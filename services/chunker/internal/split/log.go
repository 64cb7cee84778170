package split

import (
	"regexp"

	"github.com/freshet-dev/freshet/pkg/document"
)

// stamp is the time that an entry of a log begins with, behind a bracket or an address.
var stamp = regexp.MustCompile(`^\W{0,2}(\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]|[DIWEF]\d{4} \d\d:\d\d|\{"(time|ts|timestamp|level)"|.{1,48} \[\d\d/[A-Z][a-z]{2}/\d{4}:\d\d)`)

// stampBytes is how far into a line a time is looked for.
const stampBytes = 80

// byTime cuts a log at its entries, so that the lines of a stack trace stay with what
// they belong to. What has hardly any times is cut as prose.
func byTime(text *Text, opt Options) []document.Span {
	var nodes []node
	for i := range text.Lines() {
		line := text.Line(i)
		if len(nodes) < mostNodes && stamp.Match(line[:min(len(line), stampBytes)]) {
			nodes = append(nodes, node{start: text.Start(i), at: text.Start(i)})
		}
	}
	if len(nodes) < min(mostNodes, text.Lines()/20) {
		return recursive(text, opt)
	}
	return structured(text, "log", nodes, opt)
}
