package config

import "time"

// Config is everything that can be configured. A section is one service's, or
// one server's that several services use.
type Config struct {
	Data          string        `yaml:"data" doc:"State folder: the log, the stores, the registered sources. Empty: the user's state folder."`
	Log           string        `yaml:"log" doc:"Least severe messages that are logged to standard error." enum:"debug,info,warn,error"`
	Disk          Disk          `yaml:"disk" doc:"The disk that the state folder is on." see:"[When the disk is full](../how-to/disk-full.md)"`
	NATS          NATS          `yaml:"nats" doc:"The NATS server that carries the log."`
	Stores        Stores        `yaml:"stores" doc:"Where passages and vectors are kept. Another store is filled from the log."`
	Elasticsearch Elasticsearch `yaml:"elasticsearch" doc:"The Elasticsearch servers that keep the passages, with stores.lexical: elasticsearch." see:"[Elasticsearch and Weaviate](../how-to/servers.md)"`
	Weaviate      Weaviate      `yaml:"weaviate" doc:"The Weaviate server that keeps the vectors, with stores.vector: weaviate."`
	Health        Health        `yaml:"health" doc:"Telling others over HTTP how the process is."`
	Gateway       Gateway       `yaml:"gateway" doc:"The page and the HTTP interface." see:"[the page](../how-to/page.md), [HTTP](../how-to/http-api.md)"`
	Access        Access        `yaml:"access" doc:"Who sees which documents." see:"[Who sees what](../how-to/access.md)"`
	Sources       []Source      `yaml:"sources" doc:"Folders and git repositories to watch, beside those named on the command line: root (absolute path), name (slug), branch (bare repositories), exclude (globs)."`
	Limits        Limits        `yaml:"limits" doc:"How much a source may bring in before freshet asks. A source that is larger when it is added is held until it is accepted, and so is a change of settings that has more built again than one source may have." see:"[Know before you begin](../how-to/plan.md)"`
	Watcher       Watcher       `yaml:"watcher" doc:"Watching folders and repositories."`
	Chunker       Chunker       `yaml:"chunker" doc:"Cutting contents into passages. Another size of passages means that everything is indexed again."`
	Embedder      Embedder      `yaml:"embedder" doc:"Turning passages into vectors."`
	Collections   Collections   `yaml:"collections" doc:"What a collection has of its own."`
	Outgoing      Outgoing      `yaml:"outgoing" doc:"Secrets and personal data in what goes to a model of somebody's server: one that makes vectors, reranks, or writes answers." see:"[What leaves](../how-to/secrets.md)"`
	Superseded    Superseded    `yaml:"generations" doc:"What was built with another size of passages or another model."`
	Indexer       Indexer       `yaml:"indexer" doc:"Writing to the lexical and the vector store."`
	Query         Query         `yaml:"query" doc:"Answering searches."`
	Agents        Agents        `yaml:"agents" doc:"What the servers for agents may do by themselves." see:"[Agents](../how-to/agents.md)"`
}

// Disk says how much of a disk is left alone.
type Disk struct {
	Reserve Size `yaml:"reserve" doc:"Bytes that stay free; below, nothing new is taken in until there is room." min:"16MiB"`
}

// NATS says where the log is.
type NATS struct {
	URL  string        `yaml:"url" doc:"An external server with JetStream, such as nats://10.0.0.5:4222. Empty: a server is embedded."`
	Host string        `yaml:"host" doc:"IP address that the embedded server listens on; other than loopback only with its secret. The connection is not encrypted."`
	Port int           `yaml:"port" doc:"Port of the embedded server; 0 takes a free one." min:"0" max:"65535"`
	Sync time.Duration `yaml:"sync" doc:"How often the embedded server syncs the log to disk: what a power loss can cost." min:"10ms" max:"1s"`

	SecretFile string `yaml:"secret_file" doc:"File with the secret of the embedded server, from which the logins of its clients are made; commands read it, too. Empty: the file secret in the state folder, which is made at the first start."`
	Open       bool   `yaml:"open" doc:"Let everybody on this machine into the embedded server, without a login: to read, to write and to remove everything."`

	User        string `yaml:"user" doc:"User name at an external server."`
	Password    Secret `yaml:"password" doc:"Its password."`
	Credentials string `yaml:"credentials" doc:"File with the credentials of a user at an external server (.creds); it is read again at each connect."`
	TLS         TLS    `yaml:"tls" doc:"Encryption of the connection to an external server; with any of these, or with nats.url: tls://HOST:PORT, nothing goes unencrypted."`
	Replicas    int    `yaml:"replicas" doc:"Servers of an external cluster that each keep the log." min:"1" max:"5"`
}

// TLS are the files with which a client and a server know each other, as PEM.
type TLS struct {
	CA   string `yaml:"ca" doc:"File with the certificates of authorities that the server's certificate may be from. Empty: the system's."`
	Cert string `yaml:"cert" doc:"File with the client's certificate, where the server asks for one."`
	Key  string `yaml:"key" doc:"File with the private key to it."`
}

// Health says where a process tells how it is.
type Health struct {
	Listen string `yaml:"listen" doc:"Address (HOST:PORT, or :PORT for all) of /healthz (the process lives) and /readyz (it does its work). Empty: none."`
}

// Gateway says where the page and the HTTP interface are, and how much they take.
type Gateway struct {
	Listen     string   `yaml:"listen" doc:"Address (HOST:PORT) of the page and the HTTP interface; port 0 takes a free one, as does the default where another process has it. Empty: none."`
	Hosts      []string `yaml:"hosts" doc:"Further names by which a browser may ask for it, such as freshet.example.org; others are refused, since a page elsewhere may have its own name lead here."`
	SecretFile string   `yaml:"secret_file" doc:"File with the secret that its tokens are made of. Empty: that of the embedded NATS server, else the file secret in the state folder."`
	Cert       string   `yaml:"cert" doc:"File with its certificate (PEM); with it the connection is encrypted."`
	Key        string   `yaml:"key" doc:"File with the private key to it."`
	Plain      bool     `yaml:"plain" doc:"Let it listen on an address other than loopback without a certificate: whoever is on the way reads tokens and answers. For a network of your own, or behind a proxy that encrypts."`

	Body        Size   `yaml:"body" doc:"Most bytes of a request; documents that are put may take 8 MiB whatever it says." min:"1KiB" max:"8MiB"`
	Concurrency int    `yaml:"concurrency" doc:"Requests at the same time at each endpoint; further ones are asked to come again." min:"1" max:"4096"`
	Rate        int    `yaml:"rate" doc:"Requests a second at each endpoint, and as many at once after a quiet second." min:"1" max:"100000"`
	Hooks       []Hook `yaml:"hooks" doc:"Webhooks of git servers, each at /hooks/NAME: a push leads to a look at its source. Not by environment variable." see:"[Webhooks](../how-to/webhooks.md)"`

	OIDC OIDC `yaml:"oidc" doc:"An OpenID Connect issuer whose tokens say who asks." see:"[Who sees what](../how-to/access.md)"`

	Link    time.Duration `yaml:"link" doc:"How long a link that opens the page can be used, once." min:"1s" max:"1h"`
	Session time.Duration `yaml:"session" doc:"How long a browser that was let in stays so; no longer than the process runs." min:"1m" max:"720h"`
}

// OIDC is an issuer of tokens.
type OIDC struct {
	Issuer   string   `yaml:"issuer" doc:"Its address, as its tokens name it (iss); its keys are fetched from what /.well-known/openid-configuration below it names. Empty: no issuer."`
	Audience string   `yaml:"audience" doc:"What its tokens have to be for (aud): the client id that freshet has there."`
	Name     string   `yaml:"name" doc:"Claim with the name of who asks, as leases, the audit and feedback keep it: one that is never given to somebody else."`
	Groups   string   `yaml:"groups" doc:"Claim with their groups of the access rules."`
	Role     string   `yaml:"role" doc:"What they may do." enum:"ask,announce,write"`
	Admins   []string `yaml:"admins" doc:"Groups whose members may do everything, and see everything."`
	Scopes   []string `yaml:"scopes" doc:"Scopes that agents are told to ask for when their person logs in: openid, and what the issuer wants for the claim with the groups."`
}

// Access says who sees which documents.
type Access struct {
	File string `yaml:"file" doc:"File with the rules of who sees what (YAML), which is looked at with each question, so that a change holds from the next answer on; each service of a deployment reads it. Empty: whoever may ask sees everything."`
	// Audit and AuditSize are for each service of a deployment the same.
	Audit     time.Duration `yaml:"audit" doc:"How long it is kept who asked what and saw which documents, in the log; 0s: not at all. An answer is given once its entry is kept." min:"0s" max:"87600h"`
	AuditSize Size          `yaml:"audit_size" doc:"Most bytes that this may take; the oldest entries make room." min:"1MiB" max:"1TiB"`
}

// Hook is a webhook of a git server.
type Hook struct {
	Name       string `yaml:"name" doc:"What its address ends with."`
	Kind       string `yaml:"kind" doc:"Who sends it: github, gitlab, gitea (Forgejo, too), bitbucket, or generic for whoever signs as Standard Webhooks say."`
	Source     string `yaml:"source" doc:"Source that is looked at."`
	SecretFile string `yaml:"secret_file" doc:"File with the secret, of at least 16 characters, that the sender has, too."`
}

// Source is a folder or a repository to watch.
type Source struct {
	Root    string   `yaml:"root" doc:"Absolute path of a folder or git repository."`
	Remote  string   `yaml:"remote" doc:"In place of root: the address of a git repository on another machine, of which a copy is kept and fetched." see:"[Repositories on other machines](../how-to/remotes.md)"`
	Name    string   `yaml:"name" doc:"Slug; made from the root when empty."`
	Branch  string   `yaml:"branch" doc:"Branch of a bare repository or remote; its default branch when empty."`
	Exclude []string `yaml:"exclude" doc:"Globs that leave paths out, each as a line of a .gitignore at the root, such as /vendor/ or *.min.js. They win over every other rule; a change counts from the next start." see:"[Sources](../how-to/sources.md)"`
}
