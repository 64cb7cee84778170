package config

import "time"

// Config is everything that can be configured. Each section is one service's.
type Config struct {
	Data     string   `yaml:"data" doc:"State folder: the log, the stores, the registered sources. Empty: the user's state folder."`
	Log      string   `yaml:"log" doc:"Least severe messages that are logged to standard error." enum:"debug,info,warn,error"`
	NATS     NATS     `yaml:"nats" doc:"The NATS server that carries the log."`
	Sources  []Source `yaml:"sources" doc:"Folders and git repositories to watch, beside those named on the command line: root (absolute path), name (slug), branch (bare repositories)."`
	Watcher  Watcher  `yaml:"watcher" doc:"Watching folders and repositories."`
	Chunker  Chunker  `yaml:"chunker" doc:"Cutting contents into passages. Another size of passages means that everything is indexed again."`
	Embedder Embedder `yaml:"embedder" doc:"Turning passages into vectors."`
	Indexer  Indexer  `yaml:"indexer" doc:"Writing to the lexical and the vector store."`
	Query    Query    `yaml:"query" doc:"Answering searches."`
}

// NATS says where the log is.
type NATS struct {
	URL  string        `yaml:"url" doc:"An external server with JetStream, such as nats://10.0.0.5:4222. Empty: a server is embedded."`
	Host string        `yaml:"host" doc:"Address that the embedded server listens on; loopback only."`
	Port int           `yaml:"port" doc:"Port of the embedded server; 0 takes a free one." min:"0" max:"65535"`
	Sync time.Duration `yaml:"sync" doc:"How often the embedded server syncs the log to disk: what a power loss can cost." min:"10ms" max:"1s"`
}

// Source is a folder or a repository to watch.
type Source struct {
	Root   string `yaml:"root" doc:"Absolute path of a folder or git repository."`
	Name   string `yaml:"name" doc:"Slug; made from the root when empty."`
	Branch string `yaml:"branch" doc:"Branch of a bare repository; its default branch when empty."`
}
