package weaviate_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func TestWrongConfiguration_IsRefused(t *testing.T) {
	good := weaviate.Config{Timeout: time.Minute, URL: "http://localhost:8080", Prefix: "freshet", Name: "code-1", Dims: 256}
	for name, c := range map[string]struct {
		change func(*weaviate.Config)
		says   string
	}{
		"no URL":         {func(c *weaviate.Config) { c.URL = "" }, "http://host:port"},
		"no scheme":      {func(c *weaviate.Config) { c.URL = "localhost:8080" }, "http://host:port"},
		"no host":        {func(c *weaviate.Config) { c.URL = "http://" }, "http://host:port"},
		"other scheme":   {func(c *weaviate.Config) { c.URL = "grpc://localhost:50051" }, "http://host:port"},
		"broken URL":     {func(c *weaviate.Config) { c.URL = "http://u:secret@[::1" }, "http://host:port"},
		"password":       {func(c *weaviate.Config) { c.URL = "http://u:secret@localhost:8080" }, "API key"},
		"query":          {func(c *weaviate.Config) { c.URL = "http://localhost:8080?key=secret" }, "API key"},
		"prefix":         {func(c *weaviate.Config) { c.Prefix = "my-index" }, `"my-index"`},
		"no name":        {func(c *weaviate.Config) { c.Name = "" }, "name"},
		"dims":           {func(c *weaviate.Config) { c.Dims = 0 }, "0 dimensions"},
		"too many dims":  {func(c *weaviate.Config) { c.Dims = 100_000 }, "100000 dimensions"},
		"replicas":       {func(c *weaviate.Config) { c.Replicas = -1 }, "-1 replicas"},
		"timeout":        {func(c *weaviate.Config) { c.Timeout = -time.Second }, "-1s"},
		"no certificate": {func(c *weaviate.Config) { c.CA = []byte("file.pem") }, "PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			c.change(&cfg)
			_, err := weaviate.New(cfg)
			oneSentence(t, err, document.InvalidRequest, c.says)
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
	s, err := weaviate.New(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// The client gives its connection a finalizer that never returns; the process
// has one goroutine for all of them.
func TestForgottenStore_DoesNotHoldUpFinalizers(t *testing.T) {
	func() {
		s, err := weaviate.New(weaviate.Config{Timeout: time.Minute, URL: "http://localhost:8080", Prefix: "test", Name: "x", Dims: 4})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}()
	runtime.GC() // finds the connection
	done := make(chan struct{})
	runtime.SetFinalizer(new([1 << 10]byte), func(*[1 << 10]byte) { close(done) })
	runtime.GC()
	<-done
}
