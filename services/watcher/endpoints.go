package watcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// serve answers requests until ctx ends.
func (s *Service) serve(ctx context.Context) error {
	svc, err := rpc.NewService(s.bus, "freshet-watcher", "follows folders and repositories into the log", s.cfg.Version)
	if err != nil {
		return err
	}
	if err := s.endpoints(ctx, svc); err != nil {
		_ = svc.Stop()
		return err
	}
	<-ctx.Done()
	if err := svc.Stop(); err != nil {
		return fmt.Errorf("stop serving: %w", err)
	}
	return nil
}

// explainLimit bounds the explanations at the same time: each may read a tree.
const explainLimit = 4

// treeDeadline is the time for requests that read a whole tree.
const treeDeadline = 10 * time.Minute

func (s *Service) endpoints(ctx context.Context, svc micro.Service) error {
	type none struct{}
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "sources-add", Subject: contract.SubjectSourcesAdd, Deadline: treeDeadline, Left: rpc.Finished}, s.add); err != nil {
		return err
	}
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "sources-remove", Subject: contract.SubjectSourcesRemove, Deadline: treeDeadline, Left: rpc.Finished}, s.remove); err != nil {
		return err
	}
	if err := rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "verify", Subject: contract.SubjectVerifyFiles}, s.verify); err != nil {
		return err
	}
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "put", Subject: contract.SubjectPut, Limit: putLimit, Left: rpc.Finished}, s.put); err != nil {
		return err
	}
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "delete", Subject: contract.SubjectDelete, Left: rpc.Finished}, s.delete); err != nil {
		return err
	}
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "explain", Subject: contract.SubjectExplainFile, Limit: explainLimit}, s.explain); err != nil {
		return err
	}
	// A hook leaves after half a second, and what it told is true all the same.
	if err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "announce", Subject: contract.SubjectAnnounce, Left: rpc.Handled}, s.announce); err != nil {
		return err
	}
	// Last: by an answer to it others tell that the watcher serves.
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "sources-list", Subject: contract.SubjectSourcesList},
		func(ctx context.Context, _ none) (contract.SourceList, error) {
			all, err := s.listed(ctx, 0)
			return viewerOf(ctx, s).list(all), err
		})
}

// putLimit bounds the requests that bring content: each may be as large as a
// message can be.
const putLimit = 16

// listed is the reply of every request on sources; seq 0 stands for the log's
// last sequence.
func (s *Service) listed(ctx context.Context, seq document.Version) (contract.SourceList, error) {
	token, err := s.token(ctx, seq)
	return contract.SourceList{Sources: s.list(), Token: token}, err
}

// add watches another root and answers when it was compared once; with Once it
// is not watched any further.
func (s *Service) add(ctx context.Context, req contract.SourceAdd) (contract.SourceList, error) {
	if req.Remote != "" {
		if err := s.mirrors.first(ctx, req); err != nil {
			return contract.SourceList{}, err
		}
	}
	src, fresh, err := s.watch(ctx, req)
	if err != nil {
		return contract.SourceList{}, err
	}
	if req.Accept {
		if err := s.accept(ctx, src); err != nil {
			return contract.SourceList{}, err
		}
	}
	out, err := src.full.ask(ctx, false)
	refused := src.quota.refusal()
	if fresh && (req.Once || refused != nil) {
		s.unwatch(src)
	}
	if refused != nil {
		if fresh {
			err = s.forget(ctx, src.name)
			if src.origin.Place.Mirror != nil {
				s.mirrors.drop(src.origin.Place)
			}
		}
		return contract.SourceList{}, errors.Join(refused, err)
	}
	if err != nil {
		return contract.SourceList{}, err
	}
	return s.listed(ctx, out.highest)
}
