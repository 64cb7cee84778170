package config

import (
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Providers of vectors.
const (
	Static = "static" // the bundled model, or a folder with one of your own
	OpenAI = "openai" // a server that speaks OpenAI's /embeddings
	Azure  = "azure"  // Azure's form of it
	Cohere = "cohere" // a server that speaks Cohere's /v2/embed
	Voyage = "voyage" // Voyage's /embeddings
	Ollama = "ollama" // Ollama's own /api/embed
	TEI    = "tei"    // /embed of Text Embeddings Inference
)

// Embedder configures the service embedder.
type Embedder struct {
	Provider string `yaml:"provider" doc:"What makes vectors: a model in the process, bundled or your own (static), or a server: one that speaks OpenAI's /embeddings (openai), such as OpenAI, vLLM, llama.cpp, LM Studio or Ollama, Azure's form of it (azure), Cohere's /v2/embed (cohere), Voyage's (voyage), Ollama's own /api/embed (ollama), or /embed of Text Embeddings Inference (tei). All but static get the text of every passage and every question. Another provider or model means that everything is embedded again." enum:"static,openai,azure,cohere,voyage,ollama,tei" see:"[Embedders](../how-to/embedders.md)"`
	Model    string `yaml:"model" doc:"With static, a folder (absolute path) with a model of your own, as the training writes it or as a BERT encoder is published, which all processes but the watcher need; empty is the bundled model. Else the name of the server's model; with tei the one that it was started with." see:"[Train the embedding model](../how-to/train-embedder.md)"`
	URL      string `yaml:"url" doc:"Address of the server up to /embeddings, such as http://127.0.0.1:8080/v1; with cohere, ollama and tei without a path. Empty: where OpenAI, Cohere, Voyage, or Ollama on this machine answers. With azure, https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT."`
	Version  string `yaml:"version" doc:"With azure, the version of its interface (api-version), such as 2024-10-21."`
	Key      Secret `yaml:"key" doc:"Key that the server asks for. It is sent to url alone."`
	Former   Secret `yaml:"former_key" doc:"Key of the server that was configured before, as long as what was built with it answers."`
	CA       string `yaml:"ca" doc:"File with the certificates (PEM) of authorities that the server's certificate may be from. Empty: the system's."`

	Dimensions    int    `yaml:"dimensions" doc:"Length of the server's vectors, where freshet does not know the model, or where the model makes shorter ones on demand. 0: as the model makes them." min:"0" max:"16384"`
	QueryPrefix   string `yaml:"query_prefix" doc:"What stands before a question, as the maker of the model says. Empty: what freshet knows of the model; none: nothing."`
	PassagePrefix string `yaml:"passage_prefix" doc:"What stands before a passage. Empty: what freshet knows of the model; none: nothing."`
	MaxTokens     int    `yaml:"max_tokens" doc:"Most tokens of one text; what is longer is cut there. 0: what freshet knows of the model, else 8192." min:"0" max:"1000000"`

	Revision string        `yaml:"revision" doc:"Anything: another value has everything embedded anew. For a server that has exchanged its model under the same name."`
	Canary   time.Duration `yaml:"canary" doc:"Time between looks whether the server still has the same model, by what it makes of three known texts." min:"1s" max:"168h"`
	Price    float64       `yaml:"price" doc:"Price of a million tokens that the server reads, in whatever currency; with it the plan and the status tell the cost." min:"0"`
	Budget   float64       `yaml:"budget" doc:"Most that passages may cost in a day (UTC), in the currency of price; above it documents wait for the next. 0: no limit." min:"0"`

	Inputs      int           `yaml:"inputs" doc:"Most texts in one request to the server." min:"1" max:"2048"`
	Concurrency int           `yaml:"concurrency" doc:"Requests to the server at the same time." min:"1" max:"256"`
	Timeout     time.Duration `yaml:"timeout" doc:"Time for one request of passages; a question has query.embed_deadline." min:"100ms" max:"10m"`

	Workers int           `yaml:"workers" doc:"Batches that are embedded at the same time." min:"1" max:"64"`
	Batch   int           `yaml:"batch" doc:"Most documents in one batch." min:"1" max:"1024"`
	Lease   time.Duration `yaml:"lease" doc:"Deadline of one batch; another worker gets it afterwards." min:"1s" max:"1h"`
}

// Remote reports whether texts leave for a server. A section that was made in code
// need not say that they do not.
func (e Embedder) Remote() bool { return e.Provider != Static && e.Provider != "" }

// Embedding says how vectors of an identity and a length are made: what is
// written down beside a build. What freshet knows of the model has to be filled in.
func (e Embedder) Embedding(identity string, dims int) contract.Embedding {
	out := contract.Embedding{Embedder: identity, Dims: dims, Model: e.Model}
	if e.Remote() {
		out.Provider, out.URL, out.Version = e.Provider, e.URL, e.Version
		out.QueryPrefix, out.PassagePrefix, out.MaxTokens, out.Revision = e.QueryPrefix, e.PassagePrefix, e.MaxTokens, e.Revision
	}
	return out
}

// AsBuilt is the section with which vectors were made as a build says, to go on
// making them beside those of e. A key goes to the server for which it was
// written, and to no other.
func (e Embedder) AsBuilt(of contract.Embedding) Embedder {
	same := e.URL == of.URL && (e.Provider == of.Provider || !e.Remote())
	e.Model = of.Model
	if of.Provider == "" {
		e.Provider = Static
		return e
	}
	if !same {
		e.Key, e.CA = e.Former, ""
	}
	e.Provider, e.URL, e.Version, e.Dimensions = of.Provider, of.URL, of.Version, of.Dims
	e.QueryPrefix, e.PassagePrefix, e.MaxTokens, e.Revision = of.QueryPrefix, of.PassagePrefix, of.MaxTokens, of.Revision
	return e
}

// embedder checks a section that stands at a key.
func (p *Problems) embedder(at string, e Embedder) {
	if !e.Remote() {
		if e.Model != "" && !filepath.IsAbs(e.Model) {
			p.addf(at+".model", "is %q: use an absolute path", e.Model)
		}
		p.ofServers(at, e)
		return
	}
	if e.URL != "" {
		p.server(at+".url", e.URL, "8080", e.CA, at+".key")
	}
	switch {
	case e.Model == "":
		p.addf(at+".model", "is missing: name the model of %s.provider %s, such as text-embedding-3-small", at, e.Provider)
	case e.Provider == TEI && e.URL == "":
		p.addf(at+".url", "is missing: name the server of %s.provider tei, such as http://HOST:8080", at)
	case e.Provider == Azure && e.URL == "":
		p.addf(at+".url", "is missing: name the deployment, such as https://NAME.openai.azure.com/openai/deployments/DEPLOYMENT")
	case e.Provider == Azure && e.Version == "":
		p.addf(at+".version", "is missing: name the version of Azure's interface, such as 2024-10-21")
	case e.Budget > 0 && e.Price == 0:
		p.addf(at+".price", "is missing beside embedder.budget: write what a million tokens cost")
	}
}

// servers checks what holds for the servers of all collections.
func (p *Problems) servers(c Config) {
	e, remote := c.Embedder, c.Embedder.Remote()
	for _, name := range c.Collections.Names() {
		remote = remote || c.EmbedderOf(name).Remote()
	}
	switch {
	case remote && e.Timeout > e.Lease:
		p.addf("embedder.timeout", "is %s, above embedder.lease of %s: lower it, or raise the lease", shortDuration(e.Timeout), shortDuration(e.Lease))
	case !remote && e.Budget != 0:
		p.notOfServer("embedder", "budget")
	}
}

// ofServers names what says something to a server where there is none: the provider may
// have been forgotten, and text go through another model than was meant.
func (p *Problems) ofServers(at string, e Embedder) {
	for _, of := range []struct {
		name string
		set  bool
	}{
		{"url", e.URL != ""}, {"version", e.Version != ""}, {"key", e.Key != ""}, {"ca", e.CA != ""},
		{"dimensions", e.Dimensions != 0}, {"query_prefix", e.QueryPrefix != ""}, {"passage_prefix", e.PassagePrefix != ""},
		{"max_tokens", e.MaxTokens != 0}, {"revision", e.Revision != ""}, {"price", e.Price != 0},
	} {
		if of.set {
			p.notOfServer(at, of.name)
		}
	}
}

func (p *Problems) notOfServer(at, key string) {
	p.addf(at+"."+key, "is for a server: name its kind in %s.provider, such as openai, or leave this out", at)
}
