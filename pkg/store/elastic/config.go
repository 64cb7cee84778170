package elastic

import (
	"net/url"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// maxAlias leaves room for the number behind it: Elasticsearch takes names of
// up to 255 bytes.
const maxAlias = 240

// Config of a store.
type Config struct {
	// URLs of the cluster's nodes, http or https, without credentials.
	URLs []string
	// APIKey is the encoded form that Elasticsearch shows when it makes one.
	// Either APIKey or Username and Password, or neither.
	APIKey             string
	Username, Password string
	// CA holds PEM certificates to trust instead of the system's.
	CA []byte
	// Prefix and Name make up the alias, <Prefix>-<Name>; the index behind it
	// has a number more. Name stands for the generation and the analyzer: what
	// was analysed otherwise belongs into another index.
	Prefix, Name string
	// Shards and Replicas of an index that SetMark creates. 0 shards are one.
	Shards, Replicas int
	// Timeout of one request. Large batches are several.
	Timeout time.Duration
}

func (c *Config) alias() string { return c.Prefix + "-" + c.Name }

// validate checks what can be checked without the server. Every error is an
// InvalidRequest.
func (c *Config) validate() error {
	if len(c.URLs) == 0 {
		return document.Errorf(document.InvalidRequest, "no URL of Elasticsearch is given: set one, such as https://localhost:9200")
	}
	for _, raw := range c.URLs {
		if err := validateURL(raw); err != nil {
			return err
		}
	}
	if c.APIKey != "" && (c.Username != "" || c.Password != "") {
		return document.Errorf(document.InvalidRequest, "both an API key and a username or password for Elasticsearch are given: use one of them")
	}
	if (c.Username == "") != (c.Password == "") {
		return document.Errorf(document.InvalidRequest, "of username and password for Elasticsearch only one is given: set both")
	}
	if c.Timeout <= 0 {
		return document.Errorf(document.InvalidRequest, "the timeout of Elasticsearch is %s: use a positive one", c.Timeout)
	}
	if c.Prefix == "" || c.Name == "" {
		return document.Errorf(document.InvalidRequest, "an index of Elasticsearch needs a prefix and a name: %q and %q are given", c.Prefix, c.Name)
	}
	alias := c.alias()
	legal := strings.IndexFunc(alias, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}) < 0
	if !legal || strings.ContainsAny(alias[:1], "-_.") || len(alias) > maxAlias {
		return document.Errorf(document.InvalidRequest,
			"%q cannot name an index of Elasticsearch: use at most %d of a-z, 0-9, '-', '_' and '.', a letter or digit first", alias, maxAlias)
	}
	if c.Shards < 0 || c.Shards > 1024 || c.Replicas < 0 {
		return document.Errorf(document.InvalidRequest, "%d shards and %d replicas cannot be: use 1 to 1024 shards and 0 or more replicas", c.Shards, c.Replicas)
	}
	return nil
}

func validateURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		// The text is not shown: it may hold a password.
		return document.Errorf(document.InvalidRequest, "a URL of Elasticsearch is not one: write it as http://host:9200 or https://host:9200")
	case u.User != nil:
		return document.Errorf(document.InvalidRequest, "the URL of Elasticsearch at %s holds credentials: set username and password instead", u.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return document.Errorf(document.InvalidRequest, "the URL %s of Elasticsearch has more than host, port and path: leave the rest out", raw)
	}
	return nil
}
