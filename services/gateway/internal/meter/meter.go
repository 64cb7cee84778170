// Package meter counts requests, for a Prometheus server to read.
package meter

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// bounds are the upper ends of the buckets in seconds; an answer of a question
// takes some milliseconds, a deadline some seconds.
var bounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

type key struct {
	endpoint string
	code     int
}

type times struct {
	buckets []uint64
	sum     float64
	count   uint64
}

// Meter is safe for concurrent use; the zero value may be used.
type Meter struct {
	mu       sync.Mutex
	requests map[key]uint64
	took     map[string]*times
	under    int
}

// Begin counts a request as under way, until the function that it returns is
// called with the status of the answer.
func (m *Meter) Begin(endpoint string) (end func(code int)) {
	start := time.Now()
	m.mu.Lock()
	m.under++
	m.mu.Unlock()
	return func(code int) { m.end(endpoint, code, time.Since(start).Seconds()) }
}

func (m *Meter) end(endpoint string, code int, seconds float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests, m.took = map[key]uint64{}, map[string]*times{}
	}
	m.under--
	m.requests[key{endpoint, code}]++
	t := m.took[endpoint]
	if t == nil {
		t = &times{buckets: make([]uint64, len(bounds))}
		m.took[endpoint] = t
	}
	for i, b := range bounds {
		if seconds <= b {
			t.buckets[i]++
		}
	}
	t.sum += seconds
	t.count++
}

// WriteTo writes what was counted, in Prometheus' text format.
func (m *Meter) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, m.text())
	return int64(n), err
}

func (m *Meter) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	b.WriteString("# HELP freshet_gateway_requests_total Requests by endpoint and status.\n# TYPE freshet_gateway_requests_total counter\n")
	keys := make([]key, 0, len(m.requests))
	for k := range m.requests {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y key) int {
		return cmp.Or(cmp.Compare(x.endpoint, y.endpoint), cmp.Compare(x.code, y.code))
	})
	for _, k := range keys {
		fmt.Fprintf(&b, "freshet_gateway_requests_total{endpoint=%q,code=\"%d\"} %d\n", k.endpoint, k.code, m.requests[k])
	}
	b.WriteString("# HELP freshet_gateway_request_seconds Time from the request to the end of its answer.\n# TYPE freshet_gateway_request_seconds histogram\n")
	names := make([]string, 0, len(m.took))
	for name := range m.took {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := m.took[name]
		for i, bound := range bounds {
			fmt.Fprintf(&b, "freshet_gateway_request_seconds_bucket{endpoint=%q,le=\"%g\"} %d\n", name, bound, t.buckets[i])
		}
		fmt.Fprintf(&b, "freshet_gateway_request_seconds_bucket{endpoint=%q,le=\"+Inf\"} %d\n", name, t.count)
		fmt.Fprintf(&b, "freshet_gateway_request_seconds_sum{endpoint=%q} %g\nfreshet_gateway_request_seconds_count{endpoint=%q} %d\n", name, t.sum, name, t.count)
	}
	fmt.Fprintf(&b, "# HELP freshet_gateway_requests_under_way Requests that are being answered.\n# TYPE freshet_gateway_requests_under_way gauge\nfreshet_gateway_requests_under_way %d\n", m.under)
	return b.String()
}
