package bus

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Remote says where a NATS server is and how to be let in. What is empty is
// left out. The files are read again at each connect, so that what they hold
// can be exchanged while freshet runs.
type Remote struct {
	// URL may name several servers of one cluster, separated by commas.
	URL string
	// A user's inboxes begin with contract.InboxOf(User).
	User, Password string
	// Credentials is a file with a user's JWT and seed (.creds).
	Credentials string
	// CA holds the authorities (PEM) that the server's certificate may be
	// from. Cert and Key are the client's own.
	CA, Cert, Key string
	// Replicas is how many servers of a cluster each keep the log.
	Replicas int
	// Clock tells the time; nil is the system's.
	Clock func() time.Time
	// Log is told what goes wrong beside the calls; nil: nobody is.
	Log *slog.Logger
}

// Dial connects to a server that a Bus is not needed for. The errors are those
// of Connect. The caller closes the connection.
func (r Remote) Dial(opts ...nats.Option) (*nats.Conn, error) {
	own, err := r.options()
	if err != nil {
		return nil, err
	}
	nc, err := nats.Connect(r.URL, append(own, opts...)...)
	if err != nil {
		return nil, r.refused(err)
	}
	return nc, nil
}

// Connect returns a Bus for a NATS server with JetStream. The error is
// Unavailable when nothing answers there, Unauthorized when one side does not
// accept the other, and InvalidRequest or VersionMismatch when no second try
// can help. The server that is connected once is looked for until Close.
func (r Remote) Connect(_ context.Context, opts ...nats.Option) (*Bus, error) {
	log := orSilent(r.Log)
	nc, err := r.Dial(append(lasting(log), opts...)...)
	if err != nil {
		return nil, err
	}
	b, err := newBus(nc, r.Replicas, log)
	if err == nil && r.Clock != nil {
		b.clock = r.Clock
	}
	return b, err
}

// Started is what a process knows of the log of a server that it has started.
type Started struct {
	// Unclean: the previous run of the server did not end as it should.
	Unclean bool
	Note    Note
}

// Note is where whoever started the server has noted what it found to be lost,
// until the log itself has it.
type Note interface {
	Read() (Damage, error)
	Drop() error
}

// ConnectStarted is Connect to a server that this process has started: its log
// may be another copy than the one before.
func (r Remote) ConnectStarted(ctx context.Context, s Started, opts ...nats.Option) (*Bus, error) {
	b, err := r.Connect(ctx, opts...)
	if err == nil {
		b.started, b.unclean, b.note = true, s.Unclean, s.Note
	}
	return b, err
}

// options checks the files, so that an error names the setting.
func (r Remote) options() ([]nats.Option, error) {
	var out []nats.Option
	if r.User != "" {
		out = append(out, nats.UserInfo(r.User, r.Password))
	}
	if inbox := r.inbox(); inbox != "" {
		out = append(out, nats.CustomInboxPrefix(inbox))
	}
	if r.Credentials != "" {
		if err := checkCredentials(r.Credentials); err != nil {
			return nil, err
		}
		out = append(out, nats.UserCredentials(r.Credentials))
	}
	if r.CA != "" {
		text, err := os.ReadFile(r.CA)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "nats.tls.ca cannot be read: %w", err)
		}
		if !x509.NewCertPool().AppendCertsFromPEM(text) {
			return nil, document.Errorf(document.InvalidRequest, "nats.tls.ca: %s holds no certificate: name a PEM file with the authority's", r.CA)
		}
		out = append(out, nats.RootCAs(r.CA))
	}
	if r.Cert != "" {
		if _, err := tls.LoadX509KeyPair(r.Cert, r.Key); err != nil {
			return nil, document.Errorf(document.InvalidRequest, "nats.tls.cert and nats.tls.key do not make a client certificate: %w", err)
		}
		out = append(out, nats.ClientCert(r.Cert, r.Key))
	}
	return out, nil
}

func checkCredentials(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "nats.credentials cannot be read: %w", err)
	}
	if _, err = nkeys.ParseDecoratedJWT(text); err == nil {
		_, err = nkeys.ParseDecoratedNKey(text)
	}
	if err != nil {
		return document.Errorf(document.InvalidRequest, "nats.credentials: %s holds no user's JWT with its seed (%w): name a file that `nsc generate creds` has written", file, err)
	}
	return nil
}

// clientRefused is what becomes of a connection when the server does not accept
// the client's certificate; the errors have no type of their own.
var clientRefused = regexp.MustCompile(`closed by remote after TLS handshake|remote error: tls: (certificate required|bad certificate|unknown certificate authority|unknown certificate|expired certificate|handshake failure)`)

// notNATS is what the client says of a server that speaks something else.
var notNATS = regexp.MustCompile(`expected 'INFO'|protocol exception|protocol error|does not look like a TLS handshake`)

// refused says why there is no connection.
func (r Remote) refused(err error) error {
	var (
		issuer  x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
	)
	url := HideUser(r.URL)
	switch {
	case errors.As(err, &issuer):
		return document.Errorf(document.Unauthorized, "the certificate of the NATS server at %s is from an authority that is not trusted here: name the file with that authority's certificate in nats.tls.ca: %w", url, err)
	case errors.As(err, &name):
		return document.Errorf(document.Unauthorized, "the certificate of the NATS server at %s is for other names: use one of those in nats.url: %w", url, err)
	case errors.As(err, &invalid):
		return document.Errorf(document.Unauthorized, "the certificate of the NATS server at %s is not valid: renew it there, or put the clocks right: %w", url, err)
	case clientRefused.MatchString(err.Error()):
		return document.Errorf(document.Unauthorized, "the NATS server at %s does not accept the client's certificate: name one that it trusts in nats.tls.cert, with nats.tls.key: %w", url, err)
	case errors.Is(err, nats.ErrSecureConnWanted):
		return document.Errorf(document.InvalidRequest, "the NATS server at %s offers no TLS: set TLS up there, or leave out nats.tls.ca, nats.tls.cert and tls:// here", url)
	case errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired), errors.Is(err, nats.ErrAuthorization):
		return r.unauthorized(url, err)
	case notNATS.MatchString(err.Error()):
		return document.Errorf(document.VersionMismatch, "what answers at %s is no NATS server: check the port in nats.url: %w", url, err)
	}
	return document.Errorf(document.Unavailable, "no NATS server answers at %s: start it, or name another in nats.url: %w", url, err).Do(document.DoServerChoose)
}

func (r Remote) unauthorized(url string, err error) error {
	switch {
	case r.Credentials != "":
		return document.Errorf(document.Unauthorized, "the NATS server at %s does not accept the credentials in %s: write others into nats.credentials: %w", url, r.Credentials, err)
	case r.User != "":
		return document.Errorf(document.Unauthorized, "the NATS server at %s does not accept the user %s with that password: check nats.user and nats.password: %w", url, r.User, err)
	}
	return document.Errorf(document.Unauthorized, "the NATS server at %s lets nobody in without a login: set nats.user and nats.password, or nats.credentials; the server inside a running freshet has a URL with a login: %w", url, err).Do(document.DoConnectionShow)
}

var userOfURL = regexp.MustCompile(`://[^,]*@`)

// HideUser takes users and passwords out of URLs that are to be seen.
func HideUser(url string) string { return userOfURL.ReplaceAllString(url, "://") }
