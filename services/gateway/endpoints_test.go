package gateway

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Whatever a client may ask over NATS it may ask over HTTP; discovery of the services
// alone is NATS' own.
func TestEveryRequest_HasAnOperation(t *testing.T) {
	var there []string
	for _, e := range endpoints() {
		if e.own == nil {
			there = append(there, e.subject)
		}
	}
	for _, e := range contract.Endpoints {
		if !strings.HasPrefix(e.Subject, "$") && !slices.Contains(there, e.Subject) {
			t.Errorf("%s cannot be asked over HTTP: add it to endpoints.go", e.Subject)
		}
	}
	slices.Sort(there)
	if n := len(there); len(slices.Compact(there)) != n {
		t.Errorf("a request has two operations: %v", there)
	}
}

func TestPageOfHTTP_NamesEveryOperation(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/http.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range endpoints() {
		if name := "`" + e.method + " " + e.path + "`"; e.path != agentsPath && !strings.Contains(string(page), name) {
			t.Errorf("docs/reference/http.md does not name %s: add its row", name)
		}
	}
}
