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
		func(ctx context.Context, _ none) (contract.SourceList, error) { return s.listed(ctx, 0) })
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

// token returns the token of a version, or of the log's end for 0.
func (s *Service) token(ctx context.Context, v document.Version) (document.Token, error) {
	seq := uint64(v)
	if seq == 0 {
		var err error
		if seq, err = s.bus.LastSeq(ctx, contract.StreamFiles); err != nil {
			return document.Token{}, err
		}
	}
	return s.bus.Token(ctx, seq)
}

// add watches another root and answers when it was compared once; with Once it
// is not watched any further.
func (s *Service) add(ctx context.Context, req contract.SourceAdd) (contract.SourceList, error) {
	src, fresh, err := s.watch(ctx, req)
	if err != nil {
		return contract.SourceList{}, err
	}
	if req.Accept {
		if err := s.accept(ctx, src); err != nil {
			return contract.SourceList{}, err
		}
	}
	out, err := src.full(ctx, false)
	refused := src.refusal()
	if fresh && (req.Once || refused != nil) {
		s.unwatch(src)
	}
	if refused != nil {
		if fresh {
			err = s.forget(ctx, src.name)
		}
		return contract.SourceList{}, errors.Join(refused, err)
	}
	if err != nil {
		return contract.SourceList{}, err
	}
	return s.listed(ctx, out.highest)
}

// unwatch ends a source that was only to be compared once; it stays registered
// with what it has.
func (s *Service) unwatch(src *source) {
	s.admin.Lock()
	defer s.admin.Unlock()
	s.mu.Lock()
	ours := s.watched[src.name] == src
	if ours {
		delete(s.watched, src.name)
	}
	s.mu.Unlock()
	if ours {
		src.stop()
		s.mu.Lock()
		s.lost += src.overflows()
		s.mu.Unlock()
	}
}

// forget drops a source of which the log has nothing.
func (s *Service) forget(ctx context.Context, name document.Source) error {
	s.admin.Lock()
	defer s.admin.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watched[name] != nil {
		return nil // somebody has accepted it meanwhile
	}
	return s.registry.drop(ctx, name)
}

// remove deletes a source's documents, forgets it, and has what is left of it
// in the log and in files taken away.
func (s *Service) remove(ctx context.Context, req contract.SourceRemove) (contract.SourceList, error) {
	s.admin.Lock()
	defer s.admin.Unlock()
	s.mu.Lock()
	reg, known := s.registry.list[req.Source]
	src := s.watched[req.Source]
	delete(s.watched, req.Source)
	s.mu.Unlock()
	if !known {
		return contract.SourceList{}, document.Errorf(document.NotFound, "there is no source %q", req.Source).Do(document.DoSourceList)
	}
	if src != nil {
		src.stop()
		s.mu.Lock()
		s.lost += src.overflows()
		s.mu.Unlock()
	}
	documents := s.stats.ofAll(reg.Source).documents
	highest, err := s.clearSource(ctx, reg.Source)
	if err != nil {
		return contract.SourceList{}, err
	}
	receipt, err := s.eraseSource(ctx, reg.Source)
	if err != nil {
		return contract.SourceList{}, err
	}
	receipt.Documents = documents
	s.mu.Lock()
	err = s.registry.drop(ctx, reg.Source)
	s.mu.Unlock()
	if err != nil {
		return contract.SourceList{}, err
	}
	list, err := s.listed(ctx, highest)
	list.Receipt = &receipt
	return list, err
}

// clearSource publishes the deletes of everything that a source had, and its
// last markers. It returns the highest version.
func (s *Service) clearSource(ctx context.Context, name document.Source) (document.Version, error) {
	// What was written a moment ago has to be known, or it would stay.
	if err := s.ledger.reach(ctx, s.bus); err != nil {
		return 0, err
	}
	src := newSource(s, name)
	views := s.ledger.views(name)
	if len(views) == 0 {
		views = s.stats.viewsOf(name)
	}
	var highest document.Version
	for _, v := range views {
		out, err := src.clear(ctx, v)
		highest = max(highest, out.highest)
		if err != nil {
			return highest, err
		}
	}
	return highest, nil
}
