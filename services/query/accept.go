package query

import (
	"context"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// acceptLimit bounds the requests to accept a build at the same time.
const acceptLimit = 4

func serveBuilds(ctx context.Context, s *Service, svc micro.Service) error {
	return bounded(ctx, s, svc, endpoint{"build-accept", contract.SubjectBuildAccept, acceptLimit, rpc.Finished}, s.handover.accept)
}

// accept has the build begun that is held. It does nothing where none is.
func (h *handover) accept(ctx context.Context, req contract.BuildAccept) (contract.BuildAccepted, error) {
	out := contract.BuildAccepted{Changes: []contract.BuildChange{}}
	if req.Build != "" && req.Build != h.next.ID() {
		return out, document.Errorf(document.Conflict, "the build %q is not the one that is configured: that is %s", req.Build, h.next.ID()).Do(document.DoStatusShow)
	}
	if h.isHeld() == nil {
		return out, nil
	}
	if err := bus.AcceptedBuildOf(h.bus).Accept(ctx, h.next.ID()); err != nil {
		return out, err
	}
	out.Build = h.next.ID()
	out.Changes = append(out.Changes, h.changes...)
	return out, nil
}

// isHeld says why the build that is configured is not begun; nil where it is.
func (h *handover) isHeld() *contract.HeldBuild {
	if h.held == nil {
		return nil
	}
	return h.held()
}

// tellHeld says in a status that a build is not begun, and what can be done.
func tellHeld(r *contract.StatusReply) {
	if n := r.Next; n != nil && n.Held != nil {
		worsen(r, "build: held: "+n.Held.Why,
			document.Action{Do: document.DoBuildAccept, Value: string(n.Build.ID())}, document.Action{Do: document.DoRaiseLimit, Setting: "limits"})
	}
}
