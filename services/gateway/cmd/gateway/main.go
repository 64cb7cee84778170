// Command gateway serves the page and the HTTP interface.
package main

import (
	"os"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/gateway"
)

func main() {
	program := process.Program{Name: "gateway", OnlyAsks: true, Check: check, Open: open}
	os.Exit(program.Main(os.Args[1:], os.Stdout, os.Stderr))
}

// check refuses what `freshet up` may leave out: this process makes no secret of its
// own, and has nothing else to do.
func check(c config.Config) error {
	switch {
	case c.Gateway.Listen == "":
		return document.Errorf(document.InvalidRequest, "gateway.listen is empty, so the gateway would answer nobody: set it, for example %s=127.0.0.1:4723", config.Variable("gateway.listen"))
	case c.Gateway.SecretFile == "":
		return document.Errorf(document.InvalidRequest, "gateway.secret_file is missing: name a file with the secret that tokens are made of, such as `openssl rand -hex 32` writes")
	}
	return nil
}

func open(e *process.Env) (process.Service, error) {
	secret, err := bus.ReadSecret(e.Config.Gateway.SecretFile)
	if err != nil {
		return nil, err
	}
	s, err := gateway.New(gateway.FromConfig(e.Config), gateway.Deps{Conn: e.Bus.Conn(), Secret: secret, Visibility: e.Bus.Visibility(), Log: e.Log})
	if err != nil {
		return nil, err
	}
	e.OnStop(s.Close)
	e.Log.Info("answering", "url", s.URL())
	return s, nil
}
