package bus_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	neturl "net/url"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// passing are errors that no document has caused, as handlers may return them
// without a mark.
var passing = map[document.Path]error{
	"store-wide":       bus.StoreWide(errors.New("store is down")),
	"cancelled":        fmt.Errorf("embed: %w", context.Canceled),
	"deadline":         fmt.Errorf("embed: %w", context.DeadlineExceeded),
	"unavailable":      document.Errorf(document.Unavailable, "the server has status 503"),
	"rate-limited":     document.Errorf(document.RateLimited, "the server has status 429"),
	"late":             document.Errorf(document.Deadline, "no answer in time"),
	"key-revoked":      document.Errorf(document.Unauthorized, "the key is not known"),
	"key-weak":         document.Errorf(document.Forbidden, "the key may not do that"),
	"other-embedder":   document.Errorf(document.IdentityMismatch, "another embedder answers"),
	"other-server":     document.Errorf(document.VersionMismatch, "the server is too old"),
	"log-timeout":      fmt.Errorf("publish: %w", nats.ErrTimeout),
	"log-away":         fmt.Errorf("publish: %w", nats.ErrNoResponders),
	"log-closed":       fmt.Errorf("publish: %w", nats.ErrConnectionClosed),
	"log-reconnecting": fmt.Errorf("publish: %w", nats.ErrReconnectBufExceeded),
	"log-slow":         fmt.Errorf("publish: %w", jetstream.ErrAsyncPublishTimeout),
	"log-no-leader":    fmt.Errorf("publish: %w", &jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"}),
	"log-full":         fmt.Errorf("publish: %w", &jetstream.APIError{Code: 503, ErrorCode: 10077, Description: "no space left on device"}),
	"log-busy":         fmt.Errorf("read: %w", &jetstream.APIError{Code: 429, Description: "too many requests"}),
	"disk-full":        fmt.Errorf("write: %w", syscall.ENOSPC),
	"files-open":       fmt.Errorf("open: %w", syscall.EMFILE),
	"refused":          &neturl.Error{Op: "Post", URL: "http://embedder", Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}},
	"reset":            fmt.Errorf("read: %w", syscall.ECONNRESET),
	"name":             &net.DNSError{Err: "no such host", Name: "embedder"},
}

// own are errors that the document has caused.
var own = map[document.Path]error{
	"broken":   errors.New("the text cannot be embedded"),
	"invalid":  document.Errorf(document.InvalidRequest, "the token is too long"),
	"large":    document.Errorf(document.TooLarge, "the text is too large"),
	"internal": document.Errorf(document.Internal, "status 400"),
	"log-says": fmt.Errorf("publish: %w", &jetstream.APIError{Code: 400, ErrorCode: 10054, Description: "message size exceeds maximum allowed"}),
	"refused!": bus.Permanent(fmt.Errorf("decode: %w", context.DeadlineExceeded)),
}

// With a single try, whatever is counted against a document ends in DEAD.
func TestPassingError_MakesNoDeadLetter(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var mu sync.Mutex
	met := map[document.Path]int{}
	done := make(chan document.Path, len(passing))
	w := worker(each(func(m *bus.Msg) error {
		path := document.Path(m.Header.Get(contract.HeaderPath))
		mu.Lock()
		met[path]++
		n := met[path]
		mu.Unlock()
		if err := own[path]; err != nil {
			return err
		}
		if n <= 2 {
			return passing[path]
		}
		done <- path
		return nil
	}))
	w.MaxTries = 1
	start(t, b, w)
	for path := range passing {
		put(t, b, path, "x", 0)
	}
	for path := range own {
		put(t, b, path, "x", 0)
	}
	for range passing {
		<-done
	}
	waitFor(t, b.Dead(), func() bool { return b.Dead().Len() >= len(own) })
	b.Dead().Range(func(_ bus.DeadKey, h contract.DeadHead) bool {
		if own[h.Path] == nil {
			t.Errorf("%s ended in DEAD: %s", h.Path, h.Reason)
		}
		return true
	})
}
