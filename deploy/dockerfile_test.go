package deploy

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerui"
	dockerspec "github.com/moby/docker-image-spec/specs-go/v1"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/opencontainers/go-digest"
)

// The services that have an image of their own.
var services = []string{"watcher", "chunker", "embedder", "indexer", "query", "evaluator", "gateway"}

// single is the image of everything in one process, and of the command line.
const single = "freshet"

// bases stands in for the registry that the base images are in.
type bases struct{}

func (bases) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, digest.FromString(ref), []byte(`{"os":"linux","architecture":"amd64","config":{}}`), nil
}

// readImage returns what Docker's own builder makes of a stage of the
// Dockerfile; it takes the last one where target is "".
func readImage(t *testing.T, target string) dockerspec.DockerOCIImageConfig {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	result, err := dockerfile2llb.Dockerfile2LLB(t.Context(), text, dockerfile2llb.ConvertOpt{
		MetaResolver: bases{},
		Config:       dockerui.Config{Target: target},
		Warn: func(rule, description, _, message string, at []parser.Range) {
			t.Errorf("Dockerfile:%d: %s: %s (%s)", at[0].Start.Line, rule, message, description)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.Image.Config
}

func readStages(t *testing.T) []instructions.Stage {
	t.Helper()
	text, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	stages, _, err := instructions.Parse(tree.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	return stages
}

func TestImages_DoNotRunAsRoot(t *testing.T) {
	// Kubernetes compares numbers: it does not know the names in an image.
	number := regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`)
	for _, name := range append(services, single) {
		if user := readImage(t, name).User; !number.MatchString(user) {
			t.Errorf("%s runs as %q: want the numbers of a user and a group", name, user)
		}
	}
}

// Without a target, `docker build` makes the image that README.md runs.
func TestImageWithoutATarget_IsTheSingleOne(t *testing.T) {
	if last, want := readImage(t, ""), readImage(t, single); !slices.Equal(last.Entrypoint, want.Entrypoint) {
		t.Errorf("the last stage starts %v, not %v", last.Entrypoint, want.Entrypoint)
	}
}

// The health check asks the process by the configuration that it was started
// with.
func TestHealthCheckOfAnImage_AsksItsOwnProcess(t *testing.T) {
	for _, name := range services {
		image := readImage(t, name)
		want := append([]string{"CMD"}, append(slices.Clone(image.Entrypoint), "--ready")...)
		if image.Healthcheck == nil || !slices.Equal(image.Healthcheck.Test, want) {
			t.Errorf("%s: the health check is %+v, want %v", name, image.Healthcheck, want)
		}
		if !slices.Contains(image.Env, "FRESHET_HEALTH_LISTEN=:8080") {
			t.Errorf("%s: nothing listens for the health check: %v", name, image.Env)
		}
		if _, open := image.ExposedPorts["8080/tcp"]; !open {
			t.Errorf("%s: the port is not exposed: %v", name, image.ExposedPorts)
		}
	}
}

func TestWhatTheDockerfileCopies_IsInTheContext(t *testing.T) {
	f, err := os.Open("Dockerfile.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	patterns, err := ignorefile.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	ignore, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range contextPaths(t) {
		if _, err := os.Stat("../" + path); err != nil {
			t.Error(err)
		}
		if out, err := ignore.MatchesOrParentMatches(path); err != nil || out {
			t.Errorf("%s is copied and left out of the context: %v", path, err)
		}
	}
	for _, secret := range []string{"deploy/secrets/nats_watcher_password", ".git/config"} {
		if out, err := ignore.MatchesOrParentMatches(secret); err != nil || !out {
			t.Errorf("%s goes to whoever builds: %v", secret, err)
		}
	}
}

// contextPaths are what the Dockerfile copies out of the checkout.
func contextPaths(t *testing.T) []string {
	var out []string
	for _, stage := range readStages(t) {
		for _, command := range stage.Commands {
			if c, ok := command.(*instructions.CopyCommand); ok && c.From == "" {
				out = append(out, c.SourcePaths...)
			}
		}
	}
	if len(out) < 3 {
		t.Fatalf("only %v are copied", out)
	}
	return out
}

// buildCommands are the commands that compile.
func buildCommands(t *testing.T) []string {
	var out []string
	for _, stage := range readStages(t) {
		for _, command := range stage.Commands {
			run, ok := command.(*instructions.RunCommand)
			if ok && strings.Contains(strings.Join(run.CmdLine, " "), "go build") {
				out = append(out, strings.Join(run.CmdLine, " "))
			}
		}
	}
	if len(out) != 2 {
		t.Fatalf("want two commands that compile: %q", out)
	}
	return out
}

// argumentsOf are the build arguments of a stage.
func argumentsOf(stage instructions.Stage) []string {
	var out []string
	for _, command := range stage.Commands {
		if arg, ok := command.(*instructions.ArgCommand); ok {
			for _, a := range arg.Args {
				out = append(out, a.Key)
			}
		}
	}
	return out
}
