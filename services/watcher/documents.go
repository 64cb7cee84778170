package watcher

import (
	"context"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// writeTimeout bounds a request on documents; its caller has gone by then.
	writeTimeout = 30 * time.Second
	// maxView bounds the name of a view in bytes: in a subject each may take
	// three.
	maxView = 128
)

// put writes documents of an API source.
func (s *Service) put(ctx context.Context, req contract.PutRequest) (contract.WriteReply, error) {
	wishes := make([]wish, len(req.Documents))
	for i, d := range req.Documents {
		w := wish{path: d.Path, content: d.Content, collection: d.Collection, metadata: d.Metadata.Packed(), ifVersion: d.IfVersion}
		switch {
		case d.Text != nil && d.Content != nil:
			w.err = document.Errorf(document.InvalidRequest, "%q has a text and a content: send one of the two", d.Path)
		case d.Text != nil:
			w.content = []byte(*d.Text)
		case d.Content == nil:
			w.err = document.Errorf(document.InvalidRequest, "%q has neither a text nor a content: send one of the two", d.Path)
		}
		if known := s.cfg.Collections.Names(); w.collection != "" && !slices.Contains(known, w.collection) {
			w.err = document.Errorf(document.InvalidRequest, "%q is to be in the collection %q: choose from %v, or leave it out", d.Path, w.collection, known)
		}
		if err := d.Metadata.Check(); err != nil {
			w.err = document.Errorf(document.InvalidRequest, "%q: %w", d.Path, err)
		}
		wishes[i] = w
	}
	return s.write(ctx, req.Source, req.View, wishes)
}

// delete deletes documents of an API source.
func (s *Service) delete(ctx context.Context, req contract.DeleteRequest) (contract.WriteReply, error) {
	wishes := make([]wish, len(req.Documents))
	for i, d := range req.Documents {
		wishes[i] = wish{path: d.Path, delete: true, ifVersion: d.IfVersion}
	}
	return s.write(ctx, req.Source, req.View, wishes)
}

// write makes wishes true and answers when all of them are in the log.
func (s *Service) write(ctx context.Context, name document.Source, view document.View, wishes []wish) (contract.WriteReply, error) {
	if view == "" {
		view = document.Worktree
	}
	if err := checkWrite(view, wishes); err != nil {
		return contract.WriteReply{}, err
	}
	v := viewerOf(ctx, s)
	if v.sight != nil {
		if err := v.narrow(name, view, wishes); err != nil {
			return contract.WriteReply{}, err
		}
	}
	src, err := s.apiSource(name)
	if v.sight != nil && (document.KindOf(err) == document.NotFound || document.KindOf(err) == document.InvalidRequest) {
		return contract.WriteReply{}, noAPISource(name) // what it is instead is not told
	}
	if err != nil {
		return contract.WriteReply{}, err
	}
	end, err := src.life.begin()
	if err != nil {
		return contract.WriteReply{}, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	// What another watcher wrote that has just lost its role has to be known,
	// or a document would be called unchanged that is not.
	if err := s.ledger.reach(ctx, s.bus); err != nil {
		return contract.WriteReply{}, document.Errorf(document.Unavailable, "the log does not answer: send the request again: %w", err)
	}
	g := newGiven(src.comparer, wishes)
	g.sight = v.sight
	out, err := src.comparer.compare(ctx, g, view, g.scopes(), true)
	if err != nil {
		return contract.WriteReply{}, document.Errorf(document.Unavailable, "the log did not take every document of the request: send it again, what it has stays as it is: %w", err)
	}
	reply := contract.WriteReply{Documents: g.results(wishes)}
	reply.Token, err = s.token(ctx, out.highest)
	return reply, err
}

// checkWrite refuses what is wrong with a request as a whole.
func checkWrite(view document.View, wishes []wish) error {
	if len(view) > maxView || string(document.EncodePath(string(view))) != string(view) {
		return document.Errorf(document.InvalidRequest, "the view %q cannot be: use at most %d bytes, percent-encoded as %q", view, maxView, document.EncodePath(string(view)))
	}
	if len(wishes) == 0 {
		return document.Errorf(document.InvalidRequest, "the request names no documents: give at least one")
	}
	seen := make(map[document.Path]bool, len(wishes))
	for _, w := range wishes {
		if seen[w.path] {
			return document.Errorf(document.InvalidRequest, "%q stands twice in the request: send each path once", w.path)
		}
		seen[w.path] = true
	}
	return nil
}

// apiSource returns a source that takes documents by request.
func (s *Service) apiSource(name document.Source) (*source, error) {
	if _, err := document.ParseSource(string(name)); err != nil {
		return nil, err
	}
	s.mu.RLock()
	src := s.watched[name]
	_, known := s.registry.list[name]
	s.mu.RUnlock()
	switch {
	case !known:
		return nil, document.Errorf(document.NotFound, "there is no source %q", name).With(document.Action{Do: document.DoSourceAddAPI, Source: name})
	case src == nil:
		return nil, errStopped
	case src.origin.Place.Kind != contract.SourceAPI:
		return nil, document.Errorf(document.InvalidRequest, "the source %q follows %s, so change its files: only a source of kind api takes documents", name, src.origin.Place.What())
	}
	return src, nil
}
