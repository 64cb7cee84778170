// Command freshet-flood floods the gateway of a real program and prints what is served.
// See `make flood`.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/checks/flood"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/services/gateway"
)

func main() {
	cfg := flood.Config{}
	binary := flag.String("freshet", "bin/freshet", "the program to flood")
	dir := flag.String("dir", ".", "tree to index")
	flag.IntVar(&cfg.Slow, "slow", 200, "clients that send a byte a second")
	flag.IntVar(&cfg.Rate, "rate", 2000, "requests a second")
	flag.DurationVar(&cfg.For, "for", 20*time.Second, "how long")
	flag.IntVar(&cfg.Large, "large", 9<<20, "bytes of a body that is too large")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *binary, *dir, cfg, os.Stdout); err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "freshet-flood:", err)
		os.Exit(2)
	}
}

var page = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func run(ctx context.Context, binary, dir string, cfg flood.Config, out io.Writer) error {
	data, err := os.MkdirTemp("", "freshet-flood-")
	if err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(data) }()
	cmd := exec.CommandContext(ctx, binary, "up", "--data", data, "--nats-port", "0", dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), instance.EnvURL+"=", "FRESHET_GATEWAY_LISTEN=127.0.0.1:0")
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", binary, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", binary, err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
	}()
	if text, err := bufio.NewReader(lines).ReadString('\n'); err != nil || !strings.HasPrefix(text, "ready") {
		return fmt.Errorf("%s did not get ready: %q %w", binary, text, err)
	}
	link, err := exec.CommandContext(ctx, binary, "open", "--print", "--data", data).Output()
	if err != nil {
		return fmt.Errorf("ask for the address: %w", err)
	}
	secret, err := bus.ReadSecret(filepath.Join(data, "secret"))
	if err != nil {
		return err
	}
	cfg.URL, cfg.Token = page.FindString(string(link)), gateway.Token(secret, contract.RoleAdmin)
	before := peak(cmd.Process.Pid)
	result, err := flood.Run(ctx, cfg)
	if err != nil {
		return err
	}
	if err := result.Print(out); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "peak of resident memory: %s before, %s behind it\n", before, peak(cmd.Process.Pid))
	return err
}

// peak is the most resident memory that a process has had, where the system tells it.
func peak(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "?"
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(rest)
}
