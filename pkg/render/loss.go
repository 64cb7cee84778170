package render

import (
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// lossNames say what was lost, where it has a name, and where there may be any
// number.
var lossNames = map[contract.LossKind][2]string{
	contract.LossDocument: {"document", "what was put last"},
	contract.LossSource:   {"source", "sources that were added by request"},
	contract.LossModel:    {"model", "trained models"},
	contract.LossFeedback: {"feedback", "feedback"},
	contract.LossAudit:    {"audit entry", "entries of the audit log"},
	contract.LossKey:      {"key", "keys by which people and programs are let in"},
	contract.LossGolden:   {"golden question or evaluation", "golden questions, and what evaluations found"},
	contract.LossLetter:   {"letter, which may have been dismissed, of", "letters, which may have been dismissed"},
	contract.LossRecord:   {"the list of what was lost before:", "the list of what was lost before"},
}

// LossName names one thing that was lost.
func LossName(l contract.Loss) string {
	names := lossNames[l.What]
	name := terminal.Printable(l.Name)
	if l.Path != "" {
		name = terminal.Printable(string(l.Path))
	}
	switch {
	case name != "" && l.Source != "":
		return names[0] + " " + string(l.Source) + ":" + name
	case name != "":
		return names[0] + " " + name
	case l.Source != "":
		return names[1] + " into " + string(l.Source)
	}
	return names[1]
}

// Losses writes what was lost, one line each.
func Losses(w io.Writer, list []contract.Loss) error {
	for _, l := range list {
		if _, err := fmt.Fprintf(w, "%s  found %s\n", LossName(l), l.Found.Local().Format("2006-01-02 15:04")); err != nil {
			return fmt.Errorf("write what was lost: %w", err)
		}
	}
	return nil
}
