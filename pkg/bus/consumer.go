package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// durable is a consumer that the processes of a worker share. Whoever may
// manage the log can delete it, or change it; it is made again as it was, and
// what had been handled costs a look each.
type durable struct {
	bus    *Bus
	stream string
	cfg    jetstream.ConsumerConfig
}

func newDurable(b *Bus, w *Worker, stream string, filters []string) durable {
	return durable{b, stream, jetstream.ConsumerConfig{
		Durable:        w.Name,
		FilterSubjects: filters,
		AckPolicy:      jetstream.AckExplicitPolicy,
		AckWait:        w.Lease,
		MaxDeliver:     -1,
		MaxAckPending:  10_000,
	}}
}

// open makes the consumer, or gives it its settings back.
func (d durable) open(ctx context.Context) (jetstream.Consumer, error) {
	cons, err := d.bus.js.CreateOrUpdateConsumer(ctx, d.stream, d.cfg)
	if api := (*jetstream.APIError)(nil); errors.As(err, &api) && unalterable(api) {
		// It is there with settings that no update changes.
		if derr := d.bus.js.DeleteConsumer(ctx, d.stream, d.cfg.Durable); derr == nil || errors.Is(derr, jetstream.ErrConsumerNotFound) { // another process was faster
			cons, err = d.bus.js.CreateOrUpdateConsumer(ctx, d.stream, d.cfg)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open consumer %s of %s: %w", d.cfg.Durable, d.stream, err)
	}
	return cons, nil
}

// unalterable reports whether a consumer was refused because of the one that is
// there.
func unalterable(err *jetstream.APIError) bool {
	switch err.ErrorCode {
	case jetstream.JSErrCodeConsumerCreate, jetstream.JSErrCodeConsumerNameExists, jetstream.JSErrCodeConsumerAlreadyExists, jetstream.JSErrCodeConsumerExists:
		return true
	}
	return false
}

// lost reports whether an error of a pull means that the consumer is gone, or
// is no longer one that is pulled from.
func lost(err error) bool {
	return errors.Is(err, jetstream.ErrConsumerDeleted) || errors.Is(err, jetstream.ErrConsumerNotFound) ||
		errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBadRequest)
}

// missing reports whether a consumer that gives no sign of life is gone.
func missing(ctx context.Context, cons jetstream.Consumer) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, err := cons.Info(ctx)
	return lost(err)
}

// again opens a consumer that was lost, as soon as that is possible; nil when
// ctx ended before.
func (r *runner) again(ctx context.Context, d durable, cause error) jetstream.Consumer {
	r.w.Log.Warn("a consumer of the log was deleted and is made again", "stream", d.stream, "consumer", d.cfg.Durable, "error", cause)
	said := ""
	for ctx.Err() == nil {
		opening, cancel := context.WithTimeout(ctx, r.w.Lease)
		cons, err := d.open(opening)
		cancel()
		if err == nil {
			return cons
		}
		if text := err.Error(); text != said && ctx.Err() == nil {
			r.w.Log.Warn("a consumer of the log cannot be made again yet", "error", err)
			said = text
		}
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			if err := (mender{r.b}).tend(ctx); err != nil && ctx.Err() == nil {
				r.w.Log.Warn("the streams of the log cannot be made again yet", "error", err)
			}
		}
		pause(ctx, retryFirst)
	}
	return nil
}

// keepSettings gives consumers their settings back from time to time.
func (r *runner) keepSettings(ctx context.Context, all ...durable) error {
	for pause(ctx, mendEvery) {
		for _, d := range all {
			if _, err := d.open(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, nats.ErrTimeout) {
				r.w.Log.Warn("the settings of a consumer were not looked at", "error", err)
			}
		}
	}
	return nil
}
