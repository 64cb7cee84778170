//go:build servers

package servers_test

import (
	"os"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }

func TestSharedServers_AnswerAllTests(t *testing.T) {
	elastic := elasticClient(servers.ElasticURL(t))
	elastic.keep(t, "shared")
	defer elastic.forget(t, "shared")
	elastic.holds(t, "shared")
	weaviate := weaviateClient(servers.WeaviateURL(t))
	weaviate.keep(t, "Shared")
	defer weaviate.forget(t, "Shared")
	weaviate.holds(t, "Shared")
	if a, b := servers.ElasticURL(t), servers.ElasticURL(t); a != b {
		t.Errorf("one process has two shared servers, %s and %s", a, b)
	}
}
