package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Reason is why an embedder that was chosen is not the one in use.
type Reason string

// The reasons.
const (
	ReasonBuilding    Reason = "building"     // its vectors are made
	ReasonHeld        Reason = "held"         // that is above the limits, and waits for somebody
	ReasonRollout     Reason = "rollout"      // not all processes are configured for it
	ReasonRefused     Reason = "refused"      // the configuration cannot work
	ReasonNotReloaded Reason = "not_reloaded" // nobody has had the configuration read again
	ReasonEnvironment Reason = "environment"  // variables of the environment hold over the file
	ReasonOtherFile   Reason = "other_file"   // another configuration is read than the one that says so
)

// Hindrance is why an embedder that was chosen is not the one in use, and what to do next.
type Hindrance struct {
	Reason Reason `json:"reason"`
	Says   string `json:"says"` // one sentence
}

// Choice is what is known of the configuration of what runs.
type Choice struct {
	// Look is what the instance reads of it; Refused is why it cannot take that over. Both
	// are nil where nobody answers who reads one.
	Look    *contract.ReloadReply
	Refused error
	// File is another configuration than Look's, which says of each collection in Says
	// what makes its vectors; "" for none.
	File string
	Says map[document.Collection]config.Embedder
}

// Explain says of each collection why what is chosen for it is not in use.
func (e *Embedders) Explain(status contract.StatusReply, c Choice) {
	if c.Refused != nil {
		e.Why = &Hindrance{ReasonRefused, "the configuration is refused, and what runs stays as it is: " + Error(c.Refused) + "; mend that, then have it read with `freshet config reload`"}
	}
	for i := range e.Embedders {
		one := &e.Embedders[i]
		one.Why = one.why(status, c)
	}
}

func (one Embedder) why(status contract.StatusReply, c Choice) *Hindrance {
	because := func(reason Reason, format string, args ...any) *Hindrance {
		return &Hindrance{reason, fmt.Sprintf("%s: "+format, append([]any{one.Collection}, args...)...)}
	}
	chosen := one.Embedding
	if one.Next != nil {
		chosen = *one.Next
	}
	name := embedderName(chosen)
	switch have, lack, other := configuredFor(status.Reports, one.Collection, chosen.Embedder); {
	case have > 0 && len(lack) > 0:
		return because(ReasonRollout, "%s makes its vectors in %d of %d processes alone (%s has %s): give all of them the same configuration", name, have, have+len(lack), strings.Join(lack, ", "), embedderName(other))
	case one.Next != nil && status.Next.Held != nil:
		return because(ReasonHeld, "%s is held, since %s; let it begin with `freshet rebuild --accept`", name, terminal.Printable(status.Next.Held.Why))
	case one.Next != nil:
		return because(ReasonBuilding, "it is embedded anew by %s, of %d dimensions, and %s of %s are searchable in it: what was there before answers meanwhile, `freshet reindex status` tells how far it is",
			name, chosen.Dims, terminal.Count(status.Next.Documents-status.Next.Pending), terminal.Documents(status.Next.Documents))
	}
	look := c.Look
	if look == nil {
		return nil
	}
	if look.Chosen != nil && look.Chosen.Of(one.Collection).Embedder != one.Embedding.Embedder {
		return because(ReasonNotReloaded, "%s stands in %s, and is not taken over yet: have it read with `freshet config reload`", embedderName(look.Chosen.Of(one.Collection).Embedding), configuration(*look))
	}
	if of := variablesOf(*look, one.Collection); len(of) > 0 {
		return because(ReasonEnvironment, "%s in the environment of the running instance holds over %s: start it again without that, or change it there", strings.Join(of, ", "), configuration(*look))
	}
	if says, ok := c.Says[one.Collection]; ok && c.File != look.File {
		built := one.Embedding
		if provider := says.Provider; provider != cmp.Or(built.Provider, config.Static) || says.Model != built.Model {
			return because(ReasonOtherFile, "%s says otherwise, but the running instance reads %s: write it there, or start it with `freshet up --config %s`", terminal.Printable(c.File), configuration(*look), terminal.ShellWord(c.File))
		}
	}
	return nil
}

// configuration is what a person calls the one that was read.
func configuration(r contract.ReloadReply) string {
	if r.File == "" {
		return "the configuration"
	}
	return terminal.Printable(r.File)
}

// variablesOf are those that hold over what the file says of a collection: of all, where it
// has nothing of its own.
func variablesOf(r contract.ReloadReply, name document.Collection) (out []string) {
	sections := []string{config.EmbedderSection(name)}
	if r.Chosen != nil && r.Chosen.Of(name).Embedder == r.Chosen.Embedder {
		sections = append(sections, config.EmbedderSection(""))
	}
	for _, v := range r.Variables {
		for _, section := range sections {
			if strings.HasPrefix(v, config.Variable(section)+"_") {
				out = append(out, terminal.Printable(v))
			}
		}
	}
	return out
}

// configuredFor counts the processes that are configured for an embedder, and names those
// for another one.
func configuredFor(reports []contract.Report, name document.Collection, embedder string) (have int, lack []string, other contract.Embedding) {
	for _, r := range reports {
		switch {
		case r.Build == nil:
		case r.Build.Of(name).Embedder == embedder:
			have++
		default:
			lack = append(lack, terminal.Printable(r.Service+" "+r.Instance))
			other = r.Build.Of(name).Embedding
		}
	}
	return have, lack, other
}
