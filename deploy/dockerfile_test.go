package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// dockerfile is what the final image says of itself.
type dockerfile struct {
	entrypoint, command, health []string
	env                         map[string]string
	arguments                   []string
	build                       string // the go build command
}

// state is the state folder inside the image.
func (d dockerfile) state() string { return d.env["XDG_STATE_HOME"] + "/freshet" }

func readDockerfile(t *testing.T) dockerfile {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	d := dockerfile{env: map[string]string{}}
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for line := range strings.Lines(joined) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "ENTRYPOINT":
			d.entrypoint = words(t, rest)
		case "CMD":
			d.command = words(t, rest)
		case "HEALTHCHECK":
			_, list, _ := strings.Cut(rest, "CMD ")
			d.health = words(t, list)
		case "ENV":
			name, value, _ := strings.Cut(rest, "=")
			d.env[name] = value
		case "ARG":
			name, _, _ := strings.Cut(rest, "=")
			d.arguments = append(d.arguments, name)
		case "RUN":
			if i := strings.Index(rest, "CGO_ENABLED="); i >= 0 {
				d.build = rest[i:]
			}
		}
	}
	if len(d.entrypoint) == 0 || len(d.command) != 2 || len(d.health) == 0 || d.build == "" {
		t.Fatalf("the Dockerfile is not as these tests read it: %+v", d)
	}
	return d
}

func words(t *testing.T, list string) []string {
	t.Helper()
	var out []string
	if err := json.Unmarshal([]byte(list), &out); err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	return out
}

// The build command, the start command and the health check run here as the
// Dockerfile has them, with only the image's folders exchanged.
func TestImageDoesNotStartOrIsNotHealthy(t *testing.T) {
	d := readDockerfile(t)
	dir := t.TempDir()
	source, state := filepath.Join(dir, "source"), filepath.Join(dir, "state")
	if err := os.MkdirAll(source, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(source, "notes.md"), []byte("# Notes\n\nThe heron stands in the weir.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "freshet")
	build := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(d.build, "/out/freshet", program))
	build.Dir = ".."
	build.Env = append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	command := func(args ...string) *exec.Cmd {
		for i := range args {
			args[i] = strings.ReplaceAll(args[i], d.command[1], source)
		}
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+state)
		return cmd
	}

	// A container has the default port to itself; this machine may not.
	up := command(append(append(d.entrypoint[1:], d.command...), "--nats-port", "0")...)
	var said bytes.Buffer
	up.Stderr = &said
	stdout, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 1<<10)
	n, err := stdout.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "ready nats://") {
		_ = up.Wait()
		t.Fatalf("%v: %s%s", err, line[:n], said.String())
	}
	if out, err := command(d.health[1:]...).CombinedOutput(); err != nil {
		t.Errorf("the health check of a healthy container fails: %v\n%s", err, out)
	}
	out, err := command("search", "heron in the weir").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "notes.md") {
		t.Errorf("the search that the comments describe: %v\n%s", err, out)
	}
	if err := up.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := up.Wait(); err != nil {
		t.Errorf("docker stop: %v\n%s", err, said.String())
	}
	if out, err := command(d.health[1:]...).CombinedOutput(); err == nil {
		t.Errorf("the health check of a container that has ended passes:\n%s", out)
	}
}
