package web

import (
	"net/http"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/flood"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

// The small form of `make flood`: however much is asked, some of it is served, nothing
// broken is taken, and whoever is refused is told when to come again.
func TestGatewayIsFlooded_ItServesAndSaysWhenToComeAgain(t *testing.T) {
	s := start(t, func(c *config.Config) { c.Gateway.Concurrency, c.Gateway.Rate, c.Gateway.Body = 8, 50, 4096 })
	result, err := flood.Run(t.Context(), flood.Config{
		URL: s.url, Token: gateway.Token(s.secret, contract.RoleAdmin), Slow: 20, Rate: 400, For: 2 * time.Second, Large: 9 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Served) == 0 || result.Codes[http.StatusTooManyRequests]+result.Codes[http.StatusServiceUnavailable] == 0 || result.Codes[http.StatusBadRequest] == 0 {
		t.Errorf("of %d requests %d were served, by status %v", result.Offered, len(result.Served), result.Codes)
	}
	if result.NoHint > 0 || len(result.Accepted) > 0 || len(result.Broken) > 0 {
		t.Errorf("%d are not told when to come again, taken are %q, broken %q", result.NoHint, result.Accepted, result.Broken)
	}
	if a := s.as(contract.RoleAdmin, http.MethodGet, "/api/v1/status", ""); a.code != http.StatusOK {
		t.Errorf("behind it the status is %d: %s", a.code, a.body)
	}
}
