package gitrepo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// catFile is one `git cat-file` process that answers one request after the
// other. It is started at first use, and again when it has ended.
type catFile struct {
	start func() *exec.Cmd

	mu  sync.Mutex
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// ask returns the size of a blob, and its content where the process prints it.
func (c *catFile) ask(ctx context.Context, blob string, content bool) (int64, []byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	if c.cmd == nil {
		if err := c.open(); err != nil {
			return 0, nil, err
		}
	}
	// The process may have to fetch from a promisor remote; ending it is the
	// only way to interrupt that.
	stop := context.AfterFunc(ctx, func() { _ = c.cmd.Process.Kill() })
	size, body, err := c.request(blob, content)
	if !stop() || err != nil {
		c.end()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
	}
	return size, body, err
}

func (c *catFile) open() error {
	cmd := c.start()
	in, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	c.cmd, c.in, c.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	return nil
}

func (c *catFile) request(blob string, content bool) (int64, []byte, error) {
	if _, err := io.WriteString(c.in, blob+"\n"); err != nil {
		return 0, nil, fmt.Errorf("ask git cat-file: %w", err)
	}
	return readAnswer(c.out, content)
}

// readAnswer reads what `git cat-file --batch` prints for one object, or
// --batch-check where no content follows.
func readAnswer(out *bufio.Reader, content bool) (int64, []byte, error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("read from git cat-file: %w", err)
	}
	// id SP type SP size, or id SP "missing"
	fields := strings.Fields(line)
	if len(fields) != 3 {
		return 0, nil, fmt.Errorf("git cat-file answers %q", strings.TrimSpace(line))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err == nil && (size < 0 || size == math.MaxInt64) {
		err = strconv.ErrRange
	}
	if err != nil {
		return 0, nil, fmt.Errorf("git cat-file answers %q: %w", strings.TrimSpace(line), err)
	}
	if !content {
		return size, nil, nil
	}
	body, err := io.ReadAll(io.LimitReader(out, size+1)) // a line feed follows
	if err == nil && int64(len(body)) <= size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, nil, fmt.Errorf("read from git cat-file: %w", err)
	}
	return size, body[:size:size], nil
}

// end stops the process; the next request starts another.
func (c *catFile) end() {
	if c.cmd == nil {
		return
	}
	_ = c.in.Close()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // reaps it; its status says nothing
	c.cmd = nil
}

func (c *catFile) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}
