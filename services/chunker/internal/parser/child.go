package parser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract/makers"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// Serve is the child's main loop: it answers requests from stdin on stdout
// until stdin ends, which is no error. It ends the process when its parent is
// gone, even in the middle of a request: a grammar that hangs would otherwise
// keep an orphan alive.
func Serve(stdin io.Reader, stdout io.Writer) (err error) {
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		watchParent(done)
	}()
	defer func() {
		close(done)
		<-stopped
	}()
	p := syntax.NewParser()
	defer p.Close()
	var m makers.Makers
	defer func() { err = errors.Join(err, m.Close()) }()
	in := bufio.NewReaderSize(stdin, 64<<10)
	for {
		head, err := readFrame(in)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		content, err := readFrame(in)
		if err != nil {
			return fmt.Errorf("read content: %w", err)
		}
		var req request
		var rep reply
		if err := json.Unmarshal(head, &req); err != nil {
			return fmt.Errorf("decode request: %w", err)
		}
		switch {
		case req.Format != "":
			rep, err = extracted(p, &m, req, content)
		case req.Definitions:
			rep.Definitions, err = p.Definitions(req.Language, content)
		default:
			rep.Spans, err = p.Split(req.Language, content, req.Options)
		}
		if err != nil {
			rep.Error = err.Error()
		}
		out, err := rep.frames()
		if err != nil {
			return err
		}
		if err := writeFrames(stdout, out...); err != nil {
			return fmt.Errorf("write reply: %w", err)
		}
	}
}

// watchParent exits the process when it has another parent than at its start.
func watchParent(done <-chan struct{}) {
	parent := os.Getppid()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}
}
