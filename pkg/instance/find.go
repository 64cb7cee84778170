package instance

import (
	"context"
	"errors"
	"fmt"
	"net"
	neturl "net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/process"
)

// EnvURL is the environment variable that names a running instance.
const EnvURL = "FRESHET_NATS_URL"

// Environ is the environment without that variable, for the configuration of
// another instance: for commands it is an address to ask at, and a shell that
// has it may still start one.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, EnvURL+"=") })
}

// dialTimeout bounds the search for an instance, which mostly is on this host.
const dialTimeout = 2 * time.Second

// Dial connects to a running instance: to url, else to that of the environment
// variable FRESHET_NATS_URL, else to the one that runs on the state folder
// data ("" is the user's own). A login and certificates are those of the URL or
// of the other variables FRESHET_NATS_…, else the login of an administrator is
// made of the instance's secret. The error is NotFound when none runs there, and
// Unavailable when nothing answers within two seconds or ctx's deadline, else
// as of bus.Remote. The caller closes the connection.
func Dial(ctx context.Context, url, data string) (*nats.Conn, error) {
	a, err := find(url, data)
	if err != nil {
		return nil, err
	}
	return a.dial(ctx)
}

// DialAsker is Dial as who may only ask, or with the login that is set up.
func DialAsker(ctx context.Context, url, data string) (*nats.Conn, error) {
	a, err := findAs(url, data, string(contract.RoleAsk))
	if err != nil {
		return nil, err
	}
	return a.dial(ctx)
}

// FindLog says how to reach the running instance that Dial connects to, as who
// reads its log. Nothing is asked there, so it may be gone.
func FindLog(url, data string) (bus.Remote, error) {
	a, err := findAs(url, data, bus.UserServices)
	return a.remote, err
}

// FindRole is FindLog as a role. The error is InvalidRequest where the logins
// are not freshet's own.
func FindRole(url, data string, role contract.Role) (bus.Remote, error) {
	a, err := findAs(url, data, string(role))
	if err == nil && a.secret == "" && a.remote.HasLogin() {
		err = document.Errorf(document.InvalidRequest, "the logins of the NATS server at %s are set up there, not by freshet", bus.HideUser(a.remote.URL)).Do(document.DoLoginDefault)
	}
	return a.remote, err
}

// FindAsker is FindRole for questions, or the login that is set up.
func FindAsker(url, data string) (bus.Remote, error) {
	a, err := findAs(url, data, string(contract.RoleAsk))
	return a.remote, err
}

// address is where an instance is looked for.
type address struct {
	remote bus.Remote
	secret bus.Secret              // that the login was made of; "" for another login
	gone   func(cause error) error // that nothing answers there
}

func find(url, data string) (address, error) { return findAs(url, data, string(contract.RoleAdmin)) }

// findAs is find for a user of the embedded server.
func findAs(url, data, user string) (address, error) {
	name := bus.HideUser(url)
	if url == "" {
		if url = os.Getenv(EnvURL); url != "" {
			name = EnvURL + "=" + bus.HideUser(url)
		}
	}
	a := address{gone: func(cause error) error {
		return document.Errorf(document.Unavailable, "no NATS server answers at %s (%w): check the address", name, cause).Do(document.DoServerChoose, document.DoStart)
	}}
	n, err := environment()
	if err != nil {
		return a, err
	}
	a.remote = process.Remote(n)
	a.remote.URL = url
	path, err := Locate(data)
	var i Record
	if err == nil {
		i, err = Read(path)
	}
	if url == "" {
		if err != nil {
			return a, err
		}
		a.remote.URL = i.URL
		a.gone = func(error) error {
			if i.Running(path) {
				return silent(path, i)
			}
			return document.Errorf(document.NotFound, "the freshet that ran on %s (pid %d, %s) is gone", path, i.PID, bus.HideUser(i.URL)).Do(document.DoStart)
		}
	}
	if a.remote.HasLogin() {
		return a, nil
	}
	secretFile := n.SecretFile
	if secretFile == "" && err == nil && sameServer(i.URL, a.remote.URL) {
		secretFile = i.SecretFile
	}
	if secretFile == "" {
		return a, nil // one that lets everybody in, perhaps
	}
	secret, err := bus.ReadSecret(secretFile)
	if err != nil {
		return a, err
	}
	a.remote, a.secret = secret.Login(a.remote, user), secret
	return a, nil
}

// silent is the error of an instance that is there and says nothing.
func silent(path string, i Record) error {
	if i.Stopped() {
		return document.Errorf(document.Unavailable, "the freshet that runs on %s (pid %d, %s) is stopped", path, i.PID, bus.HideUser(i.URL)).
			With(document.Action{Do: document.DoProcessResume, Value: strconv.Itoa(i.PID)})
	}
	return document.Errorf(document.Unavailable, "the freshet that runs on %s (pid %d, %s) does not answer: ask again when the machine is less busy, or end it and start it again", path, i.PID, bus.HideUser(i.URL)).
		With(document.Action{Do: document.DoProcessEnd, Value: strconv.Itoa(i.PID)}, document.Action{Do: document.DoStart})
}

// sameServer reports whether two URLs lead to the same port of this machine.
func sameServer(a, b string) bool {
	x, errX := neturl.Parse(a)
	y, errY := neturl.Parse(b)
	if errX != nil || errY != nil || x.Port() != y.Port() {
		return false
	}
	local := func(host string) bool {
		ip := net.ParseIP(host)
		return host == "localhost" || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
	}
	return x.Hostname() == y.Hostname() || local(x.Hostname()) && local(y.Hostname())
}

func (a address) dial(ctx context.Context) (*nats.Conn, error) {
	timeout := dialTimeout
	if at, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(time.Until(at), time.Millisecond))
	}
	nc, err := a.remote.Dial(nats.Name("freshet command line"), nats.Timeout(timeout), nats.NoReconnect(), nats.ErrorHandler(complain))
	if document.KindOf(err) == document.Unavailable {
		return nil, a.gone(errors.Unwrap(err))
	}
	return nc, err
}

// complain tells on standard error what goes wrong beside a request; a refusal
// is told with it.
func complain(_ *nats.Conn, _ *nats.Subscription, err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		fmt.Fprintf(os.Stderr, "freshet: connection to freshet: %v\n", err)
	}
}

// environment is what the environment says of how to reach the NATS server.
func environment() (config.NATS, error) {
	var own []string
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, config.Variable("nats")+"_") && !strings.HasPrefix(entry, EnvURL+"=") {
			own = append(own, entry)
		}
	}
	c, err := config.Load("", own...)
	return c.NATS, err
}
