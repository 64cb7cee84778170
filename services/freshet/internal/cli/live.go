package cli

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/render"
)

// liveLine is the progress line of a terminal, or nothing.
type liveLine struct{ line *render.Progress }

func progressOn(p *command.Program) liveLine {
	if !terminal.IsTerminal(p.Stderr) {
		return liveLine{}
	}
	return liveLine{render.NewProgress(p.Stderr, time.Now())}
}

func (l liveLine) show(st contract.StatusReply) {
	if l.line != nil {
		l.line.Show(st, time.Now())
	}
}

// text shows a line of the caller's own.
func (l liveLine) text(line string) {
	if l.line != nil {
		l.line.Text(line)
	}
}

func (l liveLine) clear() {
	if l.line != nil {
		l.line.Clear()
	}
}
