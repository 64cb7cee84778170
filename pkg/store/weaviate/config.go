package weaviate

import (
	"crypto/x509"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store/flat"
)

// Config of a store.
type Config struct {
	// URL of the server's REST interface, http or https, without credentials.
	URL string
	// APIKey is sent with every request; empty for a server without keys.
	APIKey string
	// CA holds PEM certificates to trust instead of the system's.
	CA []byte
	// Prefix and Name make up the class; see ClassName. Name stands for the
	// generation: what was embedded otherwise belongs into another class.
	Prefix, Name string
	// Dims is the length of every vector.
	Dims int
	// Replicas of a class that SetMark creates; 0 is one.
	Replicas int
	// Timeout of one request. Large batches are several.
	Timeout time.Duration
}

var prefixPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)

// validate checks what can be checked without the server. Every error is an
// InvalidRequest.
func (c *Config) validate() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		// The text of a broken URL may hold a password: it is not repeated.
		return nil, document.Errorf(document.InvalidRequest, "the URL of Weaviate is not one: give it as http://host:port or https://host:port")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, document.Errorf(document.InvalidRequest, "the URL of Weaviate at %s holds more than an address: give the key as API key, and no query", u.Host)
	case !prefixPattern.MatchString(c.Prefix):
		return nil, document.Errorf(document.InvalidRequest, "%q cannot begin the name of a Weaviate class: use a letter and up to 31 letters or digits", c.Prefix)
	case c.Name == "":
		return nil, document.Errorf(document.InvalidRequest, "a Weaviate class needs a name: give the generation's")
	case c.Dims < 1 || c.Dims > flat.MaxDims:
		return nil, document.Errorf(document.InvalidRequest, "vectors of %d dimensions cannot be stored: use 1 to %d", c.Dims, flat.MaxDims)
	case c.Replicas < 0:
		return nil, document.Errorf(document.InvalidRequest, "a Weaviate class cannot have %d replicas: use 1 or more", c.Replicas)
	case c.Timeout <= 0:
		return nil, document.Errorf(document.InvalidRequest, "the timeout of Weaviate is %s: use a positive one", c.Timeout)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// pool returns the certificates to trust; nil are the system's.
func (c *Config) pool() (*x509.CertPool, error) {
	if len(c.CA) == 0 {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(c.CA) {
		return nil, document.Errorf(document.InvalidRequest, "the certificates to trust for Weaviate hold none: give them as PEM")
	}
	return pool, nil
}
