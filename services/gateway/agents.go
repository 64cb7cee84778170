package gateway

import (
	"bytes"
	"io"
	"net/http"

	"github.com/freshet-dev/freshet/pkg/mcpserver"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// agentsPath is where agents reach the tools of mcpserver, by MCP's streamable HTTP.
const agentsPath = "/mcp"

// openAgents makes what answers agents, when the first of them comes: what it counts
// tokens by takes memory.
func (s *Service) openAgents() (http.Handler, error) {
	return mcpserver.Shared(s.conn, process.Version)
}

// agents answers an agent. Its errors, and what follows, are MCP's own.
func (s *Service) agents(w http.ResponseWriter, r *http.Request, _ door.Asker) error {
	h, err := s.forAgents()
	if err != nil {
		return err
	}
	if r.Method == http.MethodPost {
		body, err := s.read(endpoint{}, w, r)
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	h.ServeHTTP(hasty{w}, r)
	return nil
}

// hasty gives a client its time for each part of an answer.
type hasty struct{ http.ResponseWriter }

func (h hasty) Write(p []byte) (int, error) {
	reply.Hasten(h.ResponseWriter)
	return h.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (h hasty) Unwrap() http.ResponseWriter { return h.ResponseWriter }
