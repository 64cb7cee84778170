// Package remote has the commands that ask a running instance over NATS. They know
// no service and no store: what they need of the program beside the answer is given
// to them.
package remote

import (
	"github.com/spf13/cobra"

	"github.com/freshet-dev/freshet/pkg/command"
)

// Commands are the commands of a program that ask a running instance. apart answers
// a question where there is none.
func Commands(p *command.Program, apart Apart) []*cobra.Command {
	return []*cobra.Command{
		newSearch(p, apart), newGrep(p), newFiles(p), newRead(p), newOutline(p), newRelated(p), newContext(p), newAsk(p), newExplain(p),
		newLease(p), newWatch(p), newToken(p), newChanges(p),
		newPut(p), newDelete(p), newCatalog(p),
		newStatus(p), newVerify(p), newRebuild(p), newReindex(p), newDlq(p), newLog(p),
		newConnection(p), newKey(p), newAudit(p),
	}
}
