package deploy

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startNATS runs the NATS server of docker-compose.yml by its command, with only
// the folders and ports exchanged, and returns its address and that of its
// health check.
func startNATS(t *testing.T) (address, health string) {
	t.Helper()
	p := loadCompose(t, team)
	file, _ := mounted(t, p, "nats")
	dir := filepath.Dir(file)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", dir+"/nats-server", "github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	exchange(t, file, natsSetting(t, "listen"), "127.0.0.1:-1")
	exchange(t, file, natsSetting(t, "http"), "127.0.0.1:-1")
	exchange(t, file, "store_dir: "+natsSetting(t, "store_dir"), "store_dir: "+dir+"/data")

	s := p.Services["nats"]
	line := append(slices.Clone([]string(s.Entrypoint)), s.Command...)
	for i := range line {
		line[i] = strings.NewReplacer(secretsFolder, dir+"/", s.Configs[0].Target, file+" --ports_file_dir "+dir).Replace(line[i])
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		<-ended
	})
	for {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("NATS ended: %v\n%s", err, said.String())
		case <-time.After(20 * time.Millisecond):
		}
		found, _ := filepath.Glob(dir + "/nats-server_*.ports")
		if len(found) == 0 {
			continue
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		var ports struct{ NATS, Monitoring []string }
		if json.Unmarshal(text, &ports) == nil && len(ports.NATS) > 0 && len(ports.Monitoring) > 0 {
			return ports.NATS[0], ports.Monitoring[0] + "/healthz"
		}
	}
}

func exchange(t *testing.T, file, old, replacement string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not have %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, replacement)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// freePort is one that nobody listens on now.
func freePort(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }() // only its number is wanted
	return ln.Addr().String()
}

// The services that need nothing but NATS run as their containers do, until
// their health checks pass, and stop as `docker stop` asks for.
func TestComposeServices_StartAndBecomeHealthy(t *testing.T) {
	server, health := startNATS(t)
	reply, err := http.Get(health)
	if err != nil {
		t.Fatal(err)
	}
	if err := reply.Body.Close(); err != nil || reply.StatusCode != http.StatusOK {
		t.Errorf("the health check of NATS: %s %v", reply.Status, err)
	}
	p := loadCompose(t, team)
	for _, name := range []string{"watcher", "chunker", "embedder", "evaluator", "gateway"} {
		t.Run(name, func(t *testing.T) {
			if name != "watcher" { // which makes the log that the others wait for
				t.Parallel()
			}
			image := readImage(t, name)
			file, env := mounted(t, p, name)
			exchange(t, file, "nats://nats:4222", server)
			exchange(t, file, "/source", t.TempDir())
			command := func(line []string) *exec.Cmd {
				line = slices.Clone(line)
				for i := range line {
					line[i] = strings.NewReplacer("/usr/local/bin/", programs(t)+"/", "/etc/freshet/freshet.yaml", file).Replace(line[i])
				}
				cmd := exec.CommandContext(t.Context(), line[0], line[1:]...)
				cmd.Env = env
				return cmd
			}
			env = append(env, "FRESHET_HEALTH_LISTEN="+freePort(t), "FRESHET_GATEWAY_LISTEN=127.0.0.1:0")
			run := command(image.Entrypoint)
			var said bytes.Buffer
			run.Stderr = &said
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait() }()
			for command(image.Healthcheck.Test[1:]).Run() != nil {
				select {
				case err := <-ended:
					t.Fatalf("it ended: %v\n%s", err, said.String())
				case <-time.After(50 * time.Millisecond):
				}
			}
			if err := run.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Errorf("docker stop: %v\n%s", err, said.String())
			}
			if out, err := command(image.Healthcheck.Test[1:]).CombinedOutput(); err == nil {
				t.Errorf("the health check of a container that has ended passes:\n%s", out)
			}
		})
	}
}

// An image that is started without a configuration says what it lacks.
func TestImageWithoutAConfiguration_SaysWhatItLacks(t *testing.T) {
	for _, name := range services {
		cmd := exec.CommandContext(t.Context(), filepath.Join(programs(t), name), "--config", "image.yaml")
		cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "FRESHET_") })
		out, err := cmd.CombinedOutput()
		lacks := "nats.url is missing"
		if name == "indexer" || name == "query" {
			lacks = "stores.lexical is embedded"
		}
		if name == "gateway" {
			lacks = "gateway.secret_file is missing"
		}
		if cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), lacks) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
