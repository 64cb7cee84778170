package servers

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
)

var elasticsearch = kind{
	name:     "elasticsearch",
	variable: "ELASTIC_URL",
	// Not only the server, also the indexes that it has found are ready. An index
	// that cannot be recovered does not hold this up.
	health: "/_cluster/health?wait_for_events=languid&wait_for_no_initializing_shards=true&timeout=1s",
	settled: func(health []byte) bool {
		// A shard is not even initializing while the node looks for its files.
		var h struct {
			Looking *int `json:"number_of_in_flight_fetch"`
			Pending *int `json:"number_of_pending_tasks"`
		}
		return json.Unmarshal(health, &h) == nil && h.Looking != nil && h.Pending != nil && *h.Looking+*h.Pending == 0
	},
	command: func(build, dir string, p *ports, settings []string) (*exec.Cmd, error) {
		java, err := javaTool("java")
		if err != nil {
			return nil, err
		}
		args := []string{
			// A start takes 3 s with the first compiler alone and 4 s with both.
			"-Xmx512m", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + dir, "-Djna.tmpdir=" + dir,
			"-cp", filepath.Join(build, "classes") + ":" + filepath.Join(build, "lib", "*"),
			"org.elasticsearch.node.EsNode", dir,
			fmt.Sprintf("http.port=%d", p.at(1)), fmt.Sprintf("transport.port=%d", p.at(2)),
		}
		return exec.Command(java, append(args, settings...)...), nil
	},
}

// Elasticsearch starts a node of Elasticsearch with its data and log below dir,
// and returns when it is ready; or it takes the one that ELASTIC_URL names. The
// node has no security, no scripts and no modules. Settings are those of a node,
// as key=value.
func Elasticsearch(ctx context.Context, dir string, settings ...string) (*Server, error) {
	return open(ctx, elasticsearch, dir, settings)
}
