package servers

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

var weaviate = kind{
	name:     "weaviate",
	variable: "WEAVIATE_URL",
	health:   "/v1/.well-known/ready",
	command: func(build, dir string, p *ports, settings []string) (*exec.Cmd, error) {
		cmd := exec.Command(filepath.Join(build, "weaviate-server"),
			"--scheme", "http", "--host", "127.0.0.1", "--port", strconv.Itoa(p.at(1)))
		cmd.Env = append(os.Environ(),
			"PERSISTENCE_DATA_PATH="+filepath.Join(dir, "data"),
			"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=true",
			"DEFAULT_VECTORIZER_MODULE=none",
			"DISABLE_TELEMETRY=true",
			"GO_PROFILING_DISABLE=true",
			"GOMEMLIMIT=1GiB",
			// How full the machine's disk is, is not what a test is about.
			"DISK_USE_READONLY_PERCENTAGE=100",
			// Without it a single node waits 5 s for others before it elects itself.
			"RAFT_TIMEOUTS_MULTIPLIER=1",
			"CLUSTER_HOSTNAME=node1",
			"CLUSTER_ADVERTISE_ADDR=127.0.0.1",
			"CLUSTER_BIND_ADDR=127.0.0.1",
			fmt.Sprintf("GRPC_PORT=%d", p.at(2)),
			fmt.Sprintf("CLUSTER_GOSSIP_BIND_PORT=%d", p.at(3)),
			fmt.Sprintf("CLUSTER_DATA_BIND_PORT=%d", p.at(4)),
			fmt.Sprintf("RAFT_PORT=%d", p.at(5)),
			fmt.Sprintf("RAFT_INTERNAL_RPC_PORT=%d", p.at(6)),
		)
		cmd.Env = append(cmd.Env, settings...) // of two values the last one counts
		return cmd, nil
	},
}

// Weaviate starts a Weaviate with its data and log below dir, and returns when it
// is ready; or it takes the one that WEAVIATE_URL names. Anybody may do
// everything on it, unless settings say otherwise: variables of its environment,
// as NAME=value.
func Weaviate(ctx context.Context, dir string, settings ...string) (*Server, error) {
	return open(ctx, weaviate, dir, settings)
}

// WeaviateKeys are the settings with which Weaviate asks for an API key: with
// admin everything is allowed, with reader only reading.
func WeaviateKeys(admin, reader string) []string {
	return []string{
		"AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED=false",
		"AUTHENTICATION_APIKEY_ENABLED=true",
		"AUTHENTICATION_APIKEY_ALLOWED_KEYS=" + admin + "," + reader,
		"AUTHENTICATION_APIKEY_USERS=admin,reader",
		"AUTHORIZATION_ADMINLIST_ENABLED=true",
		"AUTHORIZATION_ADMINLIST_USERS=admin",
		"AUTHORIZATION_ADMINLIST_READONLY_USERS=reader",
	}
}
