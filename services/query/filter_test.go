package query

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// A misspelt folder and a question that nothing answers look alike.
func TestFilterThatNamesNothing_IsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(r *rig) { r.cfg.ChannelDeadline = time.Minute })
	r.stored("pkg/a.go", "alpha walrus\n")
	r.stored("old/b.go", "alpha walrus\n")
	r.remove("old/b.go")
	r.settle("old/b.go")
	for filter, told := range map[string]bool{"pgk": true, "*.rs": true, "old": true, "pkg": false, "*.go": false} {
		reply := r.search(contract.SearchRequest{Query: "zebra path:" + filter, Off: []string{request.OffVector}, Token: "latest", DeadlineMS: 60_000})
		said := slices.ContainsFunc(reply.Degraded, func(d string) bool { return strings.HasPrefix(d, "path: ") })
		if len(reply.Hits) > 0 || said != told {
			t.Errorf("path:%s: %d hits, degraded %q", filter, len(reply.Hits), reply.Degraded)
		}
	}
}
