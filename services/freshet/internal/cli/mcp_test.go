package cli_test

import "testing"

// The tests' program has no freshet-mcp beside it.
func TestServerForAgentsIsMissing_ItIsNamedWithTheFix(t *testing.T) {
	t.Parallel()
	refuse(t, program(t, "mcp"), "freshet-mcp", "make build")
	refuse(t, program(t, "mcp", "here"), "freshet mcp")
}
