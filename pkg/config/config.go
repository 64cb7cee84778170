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
	Sources       []Source      `yaml:"sources" doc:"Folders and git repositories to watch, beside those named on the command line: root (absolute path), name (slug), branch (bare repositories)."`
	Limits        Limits        `yaml:"limits" doc:"How much a source may bring in before freshet asks. A source that is larger when it is added is held until it is accepted." see:"[Know before you begin](../how-to/plan.md)"`
	Watcher       Watcher       `yaml:"watcher" doc:"Watching folders and repositories."`
	Chunker       Chunker       `yaml:"chunker" doc:"Cutting contents into passages. Another size of passages means that everything is indexed again."`
	Embedder      Embedder      `yaml:"embedder" doc:"Turning passages into vectors."`
	Superseded    Superseded    `yaml:"generations" doc:"What was built with another size of passages or another model."`
	Indexer       Indexer       `yaml:"indexer" doc:"Writing to the lexical and the vector store."`
	Query         Query         `yaml:"query" doc:"Answering searches."`
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

// Source is a folder or a repository to watch.
type Source struct {
	Root   string `yaml:"root" doc:"Absolute path of a folder or git repository."`
	Name   string `yaml:"name" doc:"Slug; made from the root when empty."`
	Branch string `yaml:"branch" doc:"Branch of a bare repository; its default branch when empty."`
}
