// Package command is what the commands of freshet's programs share: the streams
// of the program, the way to the running instance, and how they speak to people
// and to scripts. A command is a value of its own that holds a Program; what it
// does belongs to its package.
package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Program is what the commands of one call share. It is not changed after the
// flags were read, and is then safe for concurrent use, as far as its streams
// are.
type Program struct {
	Stdin          *os.File
	Stdout, Stderr *os.File

	NATS, Data string // the flags that find the running instance
}

// Dial finds the running instance. The caller closes the connection.
func (p *Program) Dial(ctx context.Context) (*nats.Conn, error) {
	return instance.Dial(ctx, p.NATS, p.Data)
}

// Style is that of standard output.
func (p *Program) Style() terminal.Style { return terminal.StyleFor(p.Stdout) }

// PrintJSON prints an answer as it came.
func (p *Program) PrintJSON(raw json.RawMessage) error {
	if _, err := fmt.Fprintf(p.Stdout, "%s\n", raw); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	return nil
}

// Print prints a value as JSON on one line.
func (p *Program) Print(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return p.PrintJSON(raw)
}

// Note tells a person something that is no error.
func (p *Program) Note(sentence string) {
	_, _ = fmt.Fprintln(p.Stderr, "freshet: "+terminal.PrintableLines(sentence))
}

// Complain writes an error for a person.
func (p *Program) Complain(sentence string) {
	for line := range strings.Lines(sentence) {
		_, _ = fmt.Fprintln(p.Stderr, "freshet: "+terminal.PrintableLines(strings.TrimRight(line, "\n")))
	}
}

// Logger logs to standard error what is of a level, or above it.
func (p *Program) Logger(level string) *slog.Logger { return LoggerTo(p.Stderr, level) }

// LoggerTo logs to w what is of a level, or above it.
func LoggerTo(w io.Writer, level string) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: process.Level(level)}))
}
