// Package shipped runs the NATS server of docker-compose.yml by its
// configuration, within the process of a test or a check.
package shipped

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Server is a running server.
type Server struct{ s *server.Server }

// Everything is the name of a user beside the shipped ones, who may do
// everything: who judges reads the log and asks. Whoever answers an admin
// answers it, too.
const Everything = "judge"

// startWithin is far above what a start takes that does not hang.
const startWithin = time.Minute

// Start starts the server of a configuration file on a free port of this
// machine, with its log in a folder. Each user's password is that of Login. It
// sets variables of this process's environment.
func Start(file, dir string) (*Server, error) {
	for _, user := range Users() {
		if err := os.Setenv("NATS_"+strings.ToUpper(user)+"_PASSWORD", `"`+password(user)+`"`); err != nil {
			return nil, err
		}
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the configuration of the NATS server: %w", err)
	}
	admins, ours := contract.InboxOf(string(contract.RoleAdmin))+".>", contract.InboxOf(Everything)+".>"
	for _, u := range opts.Users {
		if p := u.Permissions; p != nil && p.Publish != nil && slices.Contains(p.Publish.Allow, admins) {
			p.Publish.Allow = append(p.Publish.Allow, ours)
		}
	}
	opts.Users = append(opts.Users, &server.User{Username: Everything, Password: password(Everything)})
	opts.Host, opts.Port, opts.HTTPPort, opts.StoreDir, opts.NoSigs, opts.NoLog = "127.0.0.1", server.RANDOM_PORT, 0, dir, true, true
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("make the NATS server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(startWithin) {
		s.Shutdown()
		return nil, fmt.Errorf("the NATS server did not start within %s", startWithin)
	}
	return &Server{s}, nil
}

// Users are those of the configuration: the services, and the roles.
func Users() []string {
	var users []string
	for _, r := range contract.ServiceRights {
		users = append(users, r.Service)
	}
	for _, r := range contract.Roles {
		users = append(users, string(r))
	}
	return users
}

func password(user string) string { return "the-" + user + "-password" }

// URL is where the server listens.
func (s *Server) URL() string { return "nats://" + s.s.Addr().String() }

// Login is that of a user.
func (s *Server) Login(user string) bus.Remote {
	return bus.Remote{URL: s.URL(), User: user, Password: password(user)}
}

// Close ends the server.
func (s *Server) Close() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
