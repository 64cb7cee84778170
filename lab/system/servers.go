package system

import (
	"flag"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Servers are real servers to hold the passages in place of the embedded
// stores. They keep what was made on them.
type Servers struct {
	Elasticsearch, Weaviate string // URLs
	// Prefix begins the names of what is made on them.
	Prefix string
}

// Flags adds the flags that name the servers.
func (s *Servers) Flags(set *flag.FlagSet, verb string) {
	s.Prefix = fmt.Sprintf("bench%x", time.Now().Unix())
	set.StringVar(&s.Elasticsearch, "elastic-url", "", verb+" this Elasticsearch and the Weaviate of --weaviate-url")
	set.StringVar(&s.Weaviate, "weaviate-url", "", "see --elastic-url")
}

// Given reports whether there are both.
func (s *Servers) Given() bool { return s.Elasticsearch != "" && s.Weaviate != "" }

// Validate returns an error when one is named without the other.
func (s *Servers) Validate() error {
	if (s.Elasticsearch == "") != (s.Weaviate == "") {
		return document.Errorf(document.InvalidRequest, "one of --elastic-url and --weaviate-url is missing: name both servers, or neither")
	}
	return nil
}

// Config returns a configuration that chooses the stores; n tells what is made
// for one instance from what is made for another. Deadlines are wide: an answer
// without one of the channels would be quick and say nothing.
func (s *Servers) Config(n int, lexical, vector string) []byte {
	return fmt.Appendf(nil, `
stores:
  lexical: %s
  vector: %s
elasticsearch:
  urls:
    - %s
  prefix: %s%d
weaviate:
  url: %s
  prefix: T%s%d
query:
  channel_deadline: 20s
  embed_deadline: 5s
`, lexical, vector, s.Elasticsearch, s.Prefix, n, s.Weaviate, s.Prefix, n)
}
