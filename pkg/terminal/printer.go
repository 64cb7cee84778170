package terminal

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Printer keeps the first error of several writes.
type Printer struct {
	W   io.Writer
	Err error
}

// Linef writes a line.
func (p *Printer) Linef(format string, args ...any) {
	if p.Err == nil {
		_, p.Err = fmt.Fprintf(p.W, format+"\n", args...)
	}
}

// Columns aligns what write writes, to the right where numbers stand.
func (p *Printer) Columns(right bool, write func(*Printer)) {
	if p.Err != nil {
		return
	}
	flags := uint(0)
	if right {
		flags = tabwriter.AlignRight
	}
	t := tabwriter.NewWriter(p.W, 0, 0, 2, ' ', flags)
	inner := &Printer{W: t}
	write(inner)
	if p.Err = inner.Err; p.Err == nil {
		p.Err = t.Flush()
	}
}
