// Package overload measures what one client that asks too much means to another.
package overload

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// Config says what is measured.
type Config struct {
	Binary string // the program
	Dir    string // tree to index
	Burst  int    // questions at once
}

const (
	// every is the time between two questions of the second client.
	every = 20 * time.Millisecond
	// calm is how long it asks before the burst, and behind it.
	calm = 10 * time.Second
)

// Run starts the program on a state of its own, and prints the figures.
func Run(ctx context.Context, cfg Config, out io.Writer) (err error) {
	data, err := os.MkdirTemp("", "freshet-overload-")
	if err != nil {
		return fmt.Errorf("make the state folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(data) }()
	cmd := exec.CommandContext(ctx, cfg.Binary, "up", "--data", data, "--nats-port", "0", cfg.Dir)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Env = append(os.Environ(), instance.EnvURL+"=")
	lines, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start %s: %w", cfg.Binary, err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", cfg.Binary, err)
	}
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait()
	}()
	if text, err := bufio.NewReader(lines).ReadString('\n'); err != nil || !strings.HasPrefix(text, "ready") {
		return fmt.Errorf("%s did not get ready: %q %w", cfg.Binary, text, err)
	}
	m := measurement{pid: cmd.Process.Pid}
	for _, at := range []**nats.Conn{&m.first, &m.second} {
		if *at, err = instance.Dial(ctx, "", data); err != nil {
			return err
		}
		defer (*at).Close()
	}
	if err := m.run(ctx, cfg.Burst); err != nil {
		return err
	}
	return m.print(out)
}

// asked is one question of the second client.
type asked struct {
	at   time.Time
	took time.Duration
	kind string // of the error, "" for an answer
}

type measurement struct {
	pid           int
	first, second *nats.Conn
	asked         []asked
	outcomes      map[string]int // of the first client's questions
	begin, end    time.Time      // of the burst: the first question, the last outcome
	memory        [2]string      // peak before and behind it
}

func (m *measurement) run(ctx context.Context, burst int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	go func() { defer close(ended); m.steadily(ctx) }()
	rest(ctx, calm)
	m.memory[0] = peak(m.pid)
	err := m.burst(ctx, burst)
	m.memory[1] = peak(m.pid)
	rest(ctx, calm)
	stop()
	<-ended
	return err
}

// steadily asks one question after the other.
func (m *measurement) steadily(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ctx.Err() == nil; n++ {
		a := asked{at: time.Now()}
		actx, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := client.Search.Ask(actx, m.second, question(n))
		cancel()
		if ctx.Err() != nil {
			return
		}
		a.took = time.Since(a.at)
		if err != nil {
			a.kind = err.Error()
		}
		m.asked = append(m.asked, a)
		<-tick.C
	}
}

var words = strings.Fields("message retry delay folder commit token passage query vector store lease stream watch deadline reader answer")

func question(n int) contract.SearchRequest {
	return contract.SearchRequest{Query: words[n%len(words)] + " " + words[n/len(words)%len(words)] + " " + words[n*7%len(words)]}
}

// burst sends all questions at once and waits for what becomes of each.
func (m *measurement) burst(ctx context.Context, n int) error {
	m.outcomes = map[string]int{"dropped": 0}
	inbox := m.first.NewInbox()
	sub, err := m.first.SubscribeSync(inbox + ".*")
	if err != nil {
		return fmt.Errorf("listen for answers: %w", err)
	}
	m.begin = time.Now()
	for i := range n {
		js, err := json.Marshal(question(i))
		if err != nil {
			return fmt.Errorf("encode a question: %w", err)
		}
		if err := m.first.PublishRequest(contract.SubjectSearch, fmt.Sprintf("%s.%d", inbox, i), js); err != nil {
			return fmt.Errorf("ask: %w", err)
		}
	}
	for n > 0 {
		wait, cancel := context.WithTimeout(ctx, 30*time.Second)
		answer, err := sub.NextMsgWithContext(wait)
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			m.outcomes["dropped"] = n
			break
		}
		if err != nil {
			return fmt.Errorf("wait for an answer: %w", err)
		}
		m.end = time.Now()
		kind := answer.Header.Get(micro.ErrorCodeHeader)
		if kind == "" {
			kind = "answered"
		}
		m.outcomes[kind]++
		n--
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// peak is the most resident memory that a process has had, where the system
// tells it.
func peak(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "?"
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.TrimSpace(rest)
}

func (m *measurement) print(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "second client, a question every %s\n%-22s %9s %8s %9s %9s %9s\n", every, "", "questions", "errors", "p50 ms", "p99 ms", "max ms")
	var before []time.Duration
	for _, part := range []struct {
		name     string
		from, to time.Time
	}{{"before", time.Time{}, m.begin}, {"during", m.begin, m.end}, {"after", m.end, m.end.Add(time.Hour)}} {
		var took []time.Duration
		failed := 0
		for _, a := range m.asked {
			if a.at.Before(part.from) || !a.at.Before(part.to) {
				continue
			}
			if a.kind != "" {
				failed++
			}
			took = append(took, a.took)
		}
		slices.Sort(took)
		if before == nil {
			before = took
		}
		fmt.Fprintf(&b, "%-22s %9d %8d %9.1f %9.1f %9.1f\n", part.name, len(took), failed, at(took, 50), at(took, 99), at(took, 100))
	}
	normal := m.end
	for _, a := range m.asked {
		if ms(a.took) > at(before, 99) && !a.at.Before(m.begin) && a.at.Before(m.end.Add(time.Second)) && a.at.Add(a.took).After(normal) {
			normal = a.at.Add(a.took)
		}
	}
	fmt.Fprintf(&b, "\nfirst client, all at once: %v, over in %s\n", m.outcomes, m.end.Sub(m.begin).Round(time.Millisecond))
	fmt.Fprintf(&b, "the second client's delays are below the p99 of before %s after the last outcome\n", normal.Sub(m.end).Round(time.Millisecond))
	fmt.Fprintf(&b, "peak of resident memory: %s before, %s behind it\n", m.memory[0], m.memory[1])
	if _, err := io.WriteString(out, b.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func at(sorted []time.Duration, percent int) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return ms(sorted[min(len(sorted)*percent/100, len(sorted)-1)])
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
