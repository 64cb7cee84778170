package mcpserver

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Common is what every answer says beside what was asked for.
type Common struct {
	// Notes say what is missing, failed or left out, and what to do about it.
	Notes []string `json:"notes,omitempty" jsonschema:"what is pending, failed, degraded or left out, and what to do"`
	Token string   `json:"token,omitempty" jsonschema:"state of the log that the answer holds for; give it back to be told of nothing older"`
	Lease string   `json:"lease,omitempty" jsonschema:"give it back to be told what of all that was given under it changed"`
	// MaxTokens is what the answer keeps, by Tokenizer.
	MaxTokens int    `json:"max_tokens"`
	Tokenizer string `json:"tokenizer"`
}

func (b budget) common(token document.Token, lease *contract.LeaseNews, notes []string) Common {
	return Common{Notes: notes, Token: token.String(), Lease: leaseOf(lease), MaxTokens: b.most, Tokenizer: b.Name()}
}

// listed is how many things of a kind notes name.
const listed = 3

// degraded are the notes about what a reply says is not as it should be.
func degraded(sentences []string, actions []document.Action) (notes []string) {
	for i, d := range sentences {
		if i == listed {
			return append(notes, fmt.Sprintf("%d more are degraded: call status", len(sentences)-listed))
		}
		notes = append(notes, "degraded: "+terminal.Shorten(sentence(d, document.ActionsAbout(d, actions)), 400))
	}
	return notes
}

// pending are the notes about documents that a search may lack.
func (at *scene) pending(list []contract.PendingPath) (notes []string) {
	for i, p := range list {
		if i == listed {
			return append(notes, fmt.Sprintf("still being indexed: %d more documents; ask with token \"latest\" to wait", len(list)-listed))
		}
		note := "still being indexed: " + at.path(p.Source, p.Path)
		if p.Searched {
			note += " (its new text was searched as plain lines)"
		}
		notes = append(notes, note)
	}
	return notes
}

func (at *scene) failed(list []contract.FailedPath) (notes []string) {
	for i, f := range list {
		if i == listed {
			return append(notes, fmt.Sprintf("%d more documents could not be indexed: call status", len(list)-listed))
		}
		notes = append(notes, terminal.Shorten("could not be indexed: "+at.path(f.Source, f.Path)+" ("+string(f.Stage)+": "+terminal.Printable(f.Reason)+")", 300))
	}
	return notes
}

// left is the note about what the budget lets out.
func (b budget) left(n int, what, more string) string {
	return fmt.Sprintf("%d %s left out to keep max_tokens %d (%s): %s, or ask with a higher max_tokens (at most %d)", n, what, b.most, b.Name(), more, mostTokens)
}

// told are the notes of an answer that are the same whatever was asked.
func (at *scene) told(lease *contract.LeaseNews, sentences []string, actions []document.Action, pending []contract.PendingPath, failed []contract.FailedPath) []string {
	notes := append(append(at.notes, at.leased(lease)...), degraded(sentences, actions)...)
	return append(append(notes, at.pending(pending)...), at.failed(failed)...)
}
