package bus_test

import (
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
)

// natsServer starts a server with JetStream and returns its address.
func natsServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	change(o)
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

func url(s *server.Server) string { return "nats://" + s.Addr().String() }

// works makes the log on a server and looks at it.
func works(t *testing.T, r bus.Remote) {
	t.Helper()
	b, err := r.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := b.Files().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// refused expects one sentence that names the setting.
func refused(t *testing.T, r bus.Remote, kind document.ErrorKind, parts ...string) {
	t.Helper()
	b, err := r.Connect(t.Context())
	if err == nil {
		b.Close()
		t.Fatalf("%+v is let in", r)
	}
	if document.KindOf(err) != kind {
		t.Errorf("the kind is %s, not %s: %v", document.KindOf(err), kind, err)
	}
	for _, p := range append(parts, r.URL) {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("%q does not name %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") || r.Password != "" && strings.Contains(err.Error(), r.Password) {
		t.Errorf("too much is said: %q", err)
	}
}

func TestWrongLogin_IsNamed(t *testing.T) {
	t.Parallel()
	s := natsServer(t, func(o *server.Options) { o.Username, o.Password = "ada", "geheim" })
	works(t, bus.Remote{URL: url(s), User: "ada", Password: "geheim"})
	works(t, bus.Remote{URL: strings.Replace(url(s), "://", "://ada:geheim@", 1)})
	refused(t, bus.Remote{URL: url(s), User: "ada", Password: "g1"}, document.Unauthorized, "nats.user", "nats.password", "ada")
	refused(t, bus.Remote{URL: url(s)}, document.Unauthorized, "nats.user", "nats.credentials")
	hidden := bus.Remote{URL: strings.Replace(url(s), "://", "://ada:g2@", 1)}
	if _, err := hidden.Connect(t.Context()); err == nil || strings.Contains(err.Error(), "g2") {
		t.Errorf("%v", err)
	}
}

func TestUntrustedServer_IsRefused(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	cert, key := a.issue("server", nil)
	s := natsServer(t, func(o *server.Options) { o.TLSConfig = a.serverTLS(cert, key, false); o.TLSTimeout = 5 })
	works(t, bus.Remote{URL: url(s), CA: a.file})
	refused(t, bus.Remote{URL: url(s)}, document.Unauthorized, "nats.tls.ca")
	refused(t, bus.Remote{URL: url(s), CA: other.file}, document.Unauthorized, "nats.tls.ca")

	for name, c := range map[string]struct {
		change func(*x509.Certificate)
		part   string
	}{
		"name":    {func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"nats.example.org"} }, "nats.url"},
		"expired": {func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) }, "renew"},
	} {
		cert, key := a.issue(name, c.change)
		s := natsServer(t, func(o *server.Options) { o.TLSConfig = a.serverTLS(cert, key, false); o.TLSTimeout = 5 })
		refused(t, bus.Remote{URL: url(s), CA: a.file}, document.Unauthorized, c.part)
	}
}

func TestClientWithoutCertificate_IsRefused(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	cert, key := a.issue("server", nil)
	s := natsServer(t, func(o *server.Options) {
		o.TLSConfig = a.serverTLS(cert, key, true)
		o.TLSTimeout = 5
		o.TLSVerify = true
	})
	own, ownKey := a.issue("client", nil)
	works(t, bus.Remote{URL: url(s), CA: a.file, Cert: own, Key: ownKey})
	refused(t, bus.Remote{URL: url(s), CA: a.file}, document.Unauthorized, "nats.tls.cert")
	foreign, foreignKey := other.issue("client", nil)
	refused(t, bus.Remote{URL: url(s), CA: a.file, Cert: foreign, Key: foreignKey}, document.Unauthorized, "nats.tls.cert")
}

// Encryption that was asked for is not left out in silence.
func TestPlainServerWhereEncryptionIsAskedFor_IsRefused(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	s := natsServer(t, func(*server.Options) {})
	refused(t, bus.Remote{URL: url(s), CA: a.file}, document.InvalidRequest, "no TLS")
	refused(t, bus.Remote{URL: strings.Replace(url(s), "nats://", "tls://", 1)}, document.InvalidRequest, "no TLS")
}

func TestBrokenFileOfALogin_IsNamed(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.issue("client", nil)
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	none := empty + "-none"
	for _, c := range []struct {
		remote bus.Remote
		parts  []string
	}{
		{bus.Remote{CA: none}, []string{"nats.tls.ca", none}},
		{bus.Remote{CA: empty}, []string{"nats.tls.ca", empty, "no certificate"}},
		{bus.Remote{Cert: none, Key: key}, []string{"nats.tls.cert", none}},
		{bus.Remote{Cert: cert, Key: empty}, []string{"nats.tls.key"}},
		{bus.Remote{Credentials: none}, []string{"nats.credentials", none}},
		{bus.Remote{Credentials: empty}, []string{"nats.credentials", empty}},
	} {
		refused(t, c.remote, document.InvalidRequest, c.parts...)
	}
}

// tenant is an account of a server with an operator, and its users.
type tenant struct {
	t   *testing.T
	key nkeys.KeyPair
}

// newTenant configures a server for accounts and users that are told by JWT.
func newTenant(t *testing.T, o *server.Options) *tenant {
	t.Helper()
	operator, opPub := nkey(t, nkeys.CreateOperator)
	account, accPub := nkey(t, nkeys.CreateAccount)
	oc := jwt.NewOperatorClaims(opPub)
	encodedOp := encode(t, oc, operator)
	parsed, err := jwt.DecodeOperatorClaims(encodedOp)
	if err != nil {
		t.Fatal(err)
	}
	ac := jwt.NewAccountClaims(accPub)
	ac.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	_, sysPub := nkey(t, nkeys.CreateAccount)
	resolver := &server.MemAccResolver{}
	for pub, claims := range map[string]jwt.Claims{accPub: ac, sysPub: jwt.NewAccountClaims(sysPub)} {
		if err := resolver.Store(pub, encode(t, claims, operator)); err != nil {
			t.Fatal(err)
		}
	}
	o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{parsed}, resolver, sysPub
	return &tenant{t: t, key: account}
}

func nkey(t *testing.T, create func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	k, err := create()
	if err != nil {
		t.Fatal(err)
	}
	pub, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return k, pub
}

func encode(t *testing.T, c jwt.Claims, by nkeys.KeyPair) string {
	t.Helper()
	text, err := c.Encode(by)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// user writes the credentials of a new user, signed by the account.
func (a *tenant) user(change func(*jwt.UserClaims)) string {
	a.t.Helper()
	key, pub := nkey(a.t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(pub)
	if change != nil {
		change(claims)
	}
	seed, err := key.Seed()
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(encode(a.t, claims, a.key), seed)
	if err != nil {
		a.t.Fatal(err)
	}
	file := filepath.Join(a.t.TempDir(), "user.creds")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		a.t.Fatal(err)
	}
	return file
}

func TestForeignCredentials_AreRefused(t *testing.T) {
	t.Parallel()
	var own *tenant
	s := natsServer(t, func(o *server.Options) { own = newTenant(t, o) })
	foreign := newTenant(t, &server.Options{})
	works(t, bus.Remote{URL: url(s), Credentials: own.user(nil)})
	for name, file := range map[string]string{
		"foreign": foreign.user(nil),
		"expired": own.user(func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Minute).Unix() }),
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, bus.Remote{URL: url(s), Credentials: file}, document.Unauthorized, "nats.credentials", file)
		})
	}
	refused(t, bus.Remote{URL: url(s)}, document.Unauthorized, "nats.credentials")
}

func TestServerWithoutALog_IsNamed(t *testing.T) {
	t.Parallel()
	s := natsServer(t, func(o *server.Options) { o.JetStream = false })
	b, err := bus.Connect(t.Context(), url(s))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	err = bus.EnsureStreams(t.Context(), b)
	if document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "no JetStream") || !strings.Contains(err.Error(), url(s)) {
		t.Errorf("%v", err)
	}
	// Copies need servers.
	s = natsServer(t, func(*server.Options) {})
	three, err := bus.Remote{URL: url(s), Replicas: 3}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer three.Close()
	err = bus.EnsureStreams(t.Context(), three)
	if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), "nats.replicas is 3") {
		t.Errorf("%v", err)
	}
}

func TestOtherServer_IsNotTakenForNATS(t *testing.T) {
	t.Parallel()
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	// This one speaks first, as NATS does.
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("220 mail.example.org ESMTP\r\n"))
			_ = c.Close()
		}
	}()
	refused(t, bus.Remote{URL: "nats://" + ln.Addr().String()}, document.VersionMismatch, "no NATS server")
	b, err := bus.Connect(t.Context(), "nats://127.0.0.1:1")
	if err == nil {
		b.Close()
	}
	if document.KindOf(err) != document.Unavailable {
		t.Errorf("%v", err)
	}
}

// All services make the log when they start, at once on a new server.
func TestServicesThatStartAtOnce_MakeOneLog(t *testing.T) {
	t.Parallel()
	for range 5 {
		s := natsServer(t, func(*server.Options) {})
		var buses []*bus.Bus
		for range 5 {
			b, err := bus.Connect(t.Context(), url(s))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(b.Close)
			buses = append(buses, b)
		}
		var g errgroup.Group
		for _, b := range buses {
			g.Go(func() error { return bus.EnsureStreams(t.Context(), b) })
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		var first document.Token
		for i, b := range buses {
			last, err := b.LastSeq(t.Context(), "FILES")
			if err != nil {
				t.Fatal(err)
			}
			token, err := b.Tokens().Of(t.Context(), last)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				first = token
			}
			if token != first {
				t.Errorf("one service has the token %s, another %s", token, first)
			}
		}
	}
}
