package counted

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/rpc"
	"slices"
	"sync"

	"github.com/freshet-dev/freshet/pkg/embed"
)

// Server embeds for others and counts. It is safe for concurrent use.
type Server struct {
	model embed.Embedder
	ln    net.Listener
	wg    sync.WaitGroup

	mu    sync.Mutex
	times map[[sha256.Size]byte]int // a text was embedded
	calls map[string][]int          // by process, the number of texts of each call
	first map[string]chan struct{}  // by process, closed at its first call
}

// Serve listens on a Unix socket at path until Close.
func Serve(path string, model embed.Embedder) (*Server, error) {
	ln, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("serve an embedder: %w", err)
	}
	s := &Server{model: model, ln: ln, times: map[[sha256.Size]byte]int{}, calls: map[string][]int{}, first: map[string]chan struct{}{}}
	r := rpc.NewServer()
	if err := r.RegisterName(serviceName, &service{s}); err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	s.wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return // closed
			}
			s.wg.Go(func() { r.ServeConn(conn) })
		}
	})
	return s, nil
}

// Close ends the server. Its clients must have ended.
func (s *Server) Close() error {
	err := s.ln.Close()
	s.wg.Wait()
	return err
}

// Embedded returns how many different texts were embedded, and how often one
// was that had been before.
func (s *Server) Embedded() (texts, again int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.times {
		again += n - 1
	}
	return len(s.times), again
}

// InFlight is the most texts that a process can have had embedded in vain when
// it was killed, where it embeds that many batches at the same time: those of
// its largest calls.
func (s *Server) InFlight(process string, batches int) (texts int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	sizes := slices.Sorted(slices.Values(s.calls[process]))
	for _, n := range sizes[max(0, len(sizes)-batches):] {
		texts += n
	}
	return texts
}

// First is closed once a process has asked for vectors.
func (s *Server) First(process string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.firstOf(process)
}

func (s *Server) firstOf(process string) chan struct{} {
	if s.first[process] == nil {
		s.first[process] = make(chan struct{})
	}
	return s.first[process]
}

// note counts a call.
func (s *Server) note(process string, texts []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.calls[process]) == 0 {
		close(s.firstOf(process))
	}
	s.calls[process] = append(s.calls[process], len(texts))
	for _, text := range texts {
		s.times[sha256.Sum256([]byte(text))]++
	}
}

// serviceName and the types below are what crosses the socket.
const serviceName = "Embedder"

type service struct{ s *Server }

// About is what a client knows of the model.
type About struct {
	Identity string
	Dims     int
}

// Batch is what is to be embedded.
type Batch struct {
	Process string // who asks
	Query   bool
	Texts   []string
}

// Result has one vector for each text of a Batch, and one reason where there is
// none.
type Result struct {
	Vectors []embed.Vector
	Errors  []string
}

// About answers a client's first request.
func (v *service) About(_ struct{}, out *About) error {
	*out = About{Identity: v.s.model.Identity(), Dims: v.s.model.Dims()}
	return nil
}

// Embed embeds a batch, and counts it unless it is a query.
func (v *service) Embed(in Batch, out *Result) error {
	ctx := context.Background() // who asked may be dead, which is the point
	if in.Query {
		vector, err := v.s.model.EmbedQuery(ctx, in.Texts[0])
		out.Vectors = []embed.Vector{vector}
		return err
	}
	v.s.note(in.Process, in.Texts)
	vectors, errs := v.s.model.EmbedDocuments(ctx, in.Texts)
	out.Vectors, out.Errors = vectors, make([]string, len(errs))
	for i, err := range errs {
		if err != nil {
			out.Errors[i] = err.Error()
		}
	}
	return nil
}
