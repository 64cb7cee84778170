package config

import (
	"net"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

func (p *Problems) network(n NATS) {
	ip := net.ParseIP(n.Host)
	switch {
	case n.Host != "localhost" && ip == nil:
		p.addf("nats.host", "is %q: write an IP address, such as 127.0.0.1", n.Host)
	case n.Open && n.Host != "localhost" && !ip.IsLoopback():
		p.addf("nats.open", "is set beside nats.host %q: leave it out, or use a loopback address such as 127.0.0.1", n.Host)
	}
	if n.Open && n.SecretFile != "" {
		p.addf("nats.secret_file", "is set beside nats.open, which lets everybody in: leave one of them out")
	}
	if n.URL != "" && !strings.Contains(n.URL, "://") {
		p.addf("nats.url", "is %q: write it as nats://HOST:PORT", n.URL)
	}
	switch {
	case n.Credentials != "" && n.User != "":
		p.addf("nats.credentials", "is set beside nats.user: leave one of them out")
	case n.Password != "" && n.User == "":
		p.addf("nats.user", "is missing: name the user of nats.password")
	case n.User != "" && n.Password == "":
		p.addf("nats.password", "is missing: write it as ${file:/run/secrets/NAME}, or leave nats.user out")
	}
	switch {
	case n.TLS.Cert != "" && n.TLS.Key == "":
		p.addf("nats.tls.key", "is missing: name the file with the private key of nats.tls.cert")
	case n.TLS.Key != "" && n.TLS.Cert == "":
		p.addf("nats.tls.cert", "is missing: name the file with the certificate of nats.tls.key")
	}
}

var (
	indexPrefix = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,63}$`)
	hostName    = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,252}[a-zA-Z0-9])?$`)
	classPrefix = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,31}$`)
)

func (p *Problems) stores(c Config) {
	e, w := c.Elasticsearch, c.Weaviate
	for _, u := range e.URLs {
		p.server("elasticsearch.urls", u, "9200", e.CA, "elasticsearch.username and elasticsearch.password")
	}
	if c.Stores.Lexical == OnElasticsearch && len(e.URLs) == 0 {
		p.addf("elasticsearch.urls", "is missing: name the servers of stores.lexical, such as https://HOST:9200")
	}
	switch {
	case e.APIKey != "" && e.Username != "":
		p.addf("elasticsearch.api_key", "is set beside elasticsearch.username: leave one of them out")
	case e.Password != "" && e.Username == "":
		p.addf("elasticsearch.username", "is missing: name the user of elasticsearch.password")
	case e.Username != "" && e.Password == "":
		p.addf("elasticsearch.password", "is missing: write it as ${file:/run/secrets/NAME}, or leave elasticsearch.username out")
	}
	if !indexPrefix.MatchString(e.Prefix) {
		p.addf("elasticsearch.prefix", "is %q: use 1 to 64 of a-z, 0-9, - and _, first a letter or digit", e.Prefix)
	}
	if c.Stores.Vector == OnWeaviate && w.URL == "" {
		p.addf("weaviate.url", "is missing: name the server of stores.vector, such as https://HOST:8080")
	}
	if w.URL != "" {
		p.server("weaviate.url", w.URL, "8080", w.CA, "weaviate.api_key")
	}
	if !classPrefix.MatchString(w.Prefix) {
		p.addf("weaviate.prefix", "is %q: use 1 to 32 letters and digits, first a capital", w.Prefix)
	}
}

// server checks the address of an HTTP server.
func (p *Problems) server(key, text, port, ca, login string) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		p.addf(key, "holds %q: write it as https://HOST:%s", hideUser(text), port)
	case u.User != nil:
		p.addf(key, "holds a user or a password before %s: write them under %s", u.Host, login)
	case u.RawQuery != "" || u.Fragment != "":
		p.addf(key, "holds %q: leave out what stands behind the path", text)
	case ca != "" && u.Scheme == "http":
		p.addf(key, "holds %q, which is not encrypted, beside %s: write https://, or leave that out", text, key[:strings.LastIndexByte(key, '.')]+".ca")
	}
}

func (p *Problems) rerank(r Rerank) {
	if r.URL != "" {
		p.server("query.rerank.url", r.URL, "8080", r.CA, "query.rerank.key")
	}
	switch {
	case r.Kind == "tei" && r.URL == "":
		p.addf("query.rerank.url", "is missing: name the server of query.rerank.kind tei, such as http://HOST:8080")
	case r.Kind == "cohere" && r.Model == "":
		p.addf("query.rerank.model", "is missing: name one, such as rerank-v3.5")
	}
}

// leastSummaries is how many tokens a long passage may take with its summary.
const leastSummaries = 5000

func (p *Problems) answer(a Answer) {
	if a.URL != "" {
		p.server("query.answer.url", a.URL, "8080", a.CA, "query.answer.key")
	}
	switch {
	case a.Summaries > 0 && a.Kind == "none":
		p.addf("query.answer.summaries", "is %d, and no model makes them: choose query.answer.kind", a.Summaries)
	case a.Summaries > 0 && a.Summaries < leastSummaries:
		p.addf("query.answer.summaries", "is %d, which may be too little for one passage: allow at least %d, or 0 for none", a.Summaries, leastSummaries)
	}
	switch {
	case a.Kind == "none":
	case a.Model == "":
		p.addf("query.answer.model", "is missing: name the model that answers")
	case a.Kind == "azure" && a.URL == "":
		p.addf("query.answer.url", "is missing: name the deployment, such as https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT")
	case a.Kind == "azure" && a.Version == "":
		p.addf("query.answer.version", "is missing: name the version of Azure's interface, such as 2024-10-21")
	}
}

func (p *Problems) health(h Health) {
	if h.Listen == "" {
		return
	}
	_, port, err := net.SplitHostPort(h.Listen)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		p.addf("health.listen", "is %q: write it as HOST:PORT, or as :PORT for every address", h.Listen)
	}
}

// secrets refuses the placeholder that stands for a secret in what YAML
// returns.
func (p *Problems) secrets(c reflect.Value) {
	for _, s := range settings(c, "") {
		if s.value.Kind() == reflect.String && (s.value.String() == hidden || strings.Contains(s.value.String(), "://"+hidden+"@")) {
			p.addf(s.key, "is the placeholder that a printed configuration has: write ${file:/run/secrets/NAME}, or ${NAME} for a variable")
		}
	}
}
