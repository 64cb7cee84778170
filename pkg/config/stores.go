package config

import "time"

// Kinds of store.
const (
	Embedded        = "embedded" // lives in the process, under the state folder
	OnElasticsearch = "elasticsearch"
	OnWeaviate      = "weaviate"
)

// Stores chooses the sinks.
type Stores struct {
	Lexical string `yaml:"lexical" doc:"What keeps the passages; embedded is for the single binary." enum:"embedded,elasticsearch"`
	Vector  string `yaml:"vector" doc:"What keeps the vectors; embedded is for the single binary." enum:"embedded,weaviate"`
}

// Elasticsearch says where the lexical store is and how to be let in.
type Elasticsearch struct {
	URLs     []string      `yaml:"urls" doc:"Addresses of the servers of one cluster, such as https://10.0.0.5:9200."`
	APIKey   Secret        `yaml:"api_key" doc:"API key, in the encoded form that Elasticsearch gives."`
	Username string        `yaml:"username" doc:"User name, where there is no API key."`
	Password Secret        `yaml:"password" doc:"Its password."`
	CA       string        `yaml:"ca" doc:"File with the certificates (PEM) of authorities that the servers' certificates may be from. Empty: the system's."`
	Prefix   string        `yaml:"prefix" doc:"What the names of all indexes begin with: 1 to 64 of a-z, 0-9, - and _, first a letter or digit."`
	Shards   int           `yaml:"shards" doc:"Shards of a new index; with one, ranks do not depend on where a passage lies." min:"1" max:"1024"`
	Replicas int           `yaml:"replicas" doc:"Copies of each shard of a new index on further servers." min:"0" max:"16"`
	Timeout  time.Duration `yaml:"timeout" doc:"Deadline of one request." min:"100ms" max:"10m"`
}

// Weaviate says where the vector store is and how to be let in.
type Weaviate struct {
	URL      string        `yaml:"url" doc:"Address of the server, such as https://10.0.0.5:8080."`
	APIKey   Secret        `yaml:"api_key" doc:"API key."`
	CA       string        `yaml:"ca" doc:"File with the certificates (PEM) of authorities that the server's certificate may be from. Empty: the system's."`
	Prefix   string        `yaml:"prefix" doc:"What the names of all classes begin with: 1 to 32 letters and digits, first a capital."`
	Replicas int           `yaml:"replicas" doc:"Servers of a cluster that each keep a new class." min:"1" max:"16"`
	Timeout  time.Duration `yaml:"timeout" doc:"Deadline of one request." min:"100ms" max:"10m"`
}
