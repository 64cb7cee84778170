package evaluator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// Service answers for golden questions and evaluations. It is safe for concurrent use.
type Service struct {
	rpc.Drainer

	bus     *bus.Bus
	log     *slog.Logger
	version string

	busy sync.Mutex // held while an evaluation runs
}

// New returns a service that does nothing before Run. b stays the caller's; version is
// that of the program, semantic.
func New(b *bus.Bus, version string, log *slog.Logger) *Service {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Service{bus: b, log: log, version: version}
}

// serviceName is what discovery finds.
const serviceName = "freshet-evaluator"

// Requests that are answered at the same time, of each kind.
const (
	listLimit = 16
	// runLimit leaves room for those that are told that another evaluation runs.
	runLimit = 8
)

// Run answers requests until ctx ends; an evaluation that is under way ends with it.
func (s *Service) Run(life context.Context) (err error) {
	defer bus.Stopped(life, &err)
	svc, err := rpc.NewService(s.bus, serviceName, "keeps golden questions, and says how well they are answered", s.version)
	if err != nil {
		return err
	}
	if err := s.endpoints(life, svc); err != nil {
		return errors.Join(err, svc.Stop())
	}
	s.Drains(svc)
	<-life.Done()
	if err := svc.Stop(); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("stop service %s: %w", serviceName, err)
	}
	return nil
}

func (s *Service) endpoints(ctx context.Context, svc micro.Service) error {
	return errors.Join(
		rpc.Endpoint(ctx, svc, rpc.Options{Name: "golden-list", Subject: contract.SubjectGoldenList, Limit: listLimit}, s.listGolden),
		rpc.Endpoint(ctx, svc, rpc.Options{Name: "golden-put", Subject: contract.SubjectGoldenPut, Limit: listLimit, Left: rpc.Finished}, s.putGolden),
		rpc.Endpoint(ctx, svc, rpc.Options{Name: "golden-remove", Subject: contract.SubjectGoldenRemove, Limit: listLimit, Left: rpc.Finished}, s.removeGolden),
		rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "evaluation-run", Subject: contract.SubjectEvaluate, Limit: runLimit}, s.evaluate),
		rpc.Endpoint(ctx, svc, rpc.Options{Name: "evaluation-list", Subject: contract.SubjectEvaluationList, Limit: listLimit}, s.listEvaluations),
		rpc.Endpoint(ctx, svc, rpc.Options{Name: "evaluation-remove", Subject: contract.SubjectEvaluationRemove, Limit: listLimit, Left: rpc.Finished}, s.removeEvaluation),
	)
}

// Ready returns nil when it can be asked.
func (s *Service) Ready(context.Context) error {
	if !s.bus.Conn().IsConnected() {
		return document.Errorf(document.Unavailable, "there is no connection to the NATS server")
	}
	return nil
}

func (s *Service) bucket() bus.Bucket { return s.bus.Bucket(contract.BucketEvaluations) }

// typed makes sure that an error has a kind and a sentence for who asked.
func typed(err error) error {
	var e *document.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return document.Errorf(document.Deadline, "the log did not answer in time: ask again")
	case errors.Is(err, context.Canceled):
		return document.Errorf(document.Unavailable, "the service is stopping: ask again")
	}
	return document.Errorf(document.Unavailable, "the log does not answer as it should: %w", err)
}
