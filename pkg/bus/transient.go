package bus

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/document"
)

// passing are errors of the log, the network and the machine.
var passing = []error{
	nats.ErrTimeout, nats.ErrNoResponders, nats.ErrConnectionClosed, nats.ErrDisconnected, nats.ErrConnectionReconnecting,
	nats.ErrConnectionDraining, nats.ErrStaleConnection, nats.ErrReconnectBufExceeded, nats.ErrNoServers, nats.ErrSlowConsumer,
	nats.ErrBadSubscription, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrPermissionViolation,
	jetstream.ErrNoHeartbeat, jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
	jetstream.ErrJetStreamNotEnabled, jetstream.ErrJetStreamNotEnabledForAccount,
	jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDeleted,
	syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EAGAIN,
	syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ETIMEDOUT,
	syscall.EHOSTUNREACH, syscall.ENETUNREACH,
}

// elsewhere are the kinds of error whose cause is no document: what answers is
// away, overloaded or slow, lets nobody in, or is another one than configured.
var elsewhere = []document.ErrorKind{
	document.Unavailable, document.RateLimited, document.Deadline,
	document.Unauthorized, document.Forbidden, document.IdentityMismatch, document.VersionMismatch,
}

// Passing reports whether an error of a handler passes by without any change
// of the document that it met. Such an error never makes a dead letter, whether
// it is marked as StoreWide or not.
func Passing(err error) bool {
	return isStoreWide(err) || errors.Is(err, context.Canceled) || !isPermanent(err) && transient(err)
}

func transient(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.Code >= http.StatusInternalServerError || api.Code == http.StatusTooManyRequests || api.Code == http.StatusRequestTimeout) {
		return true
	}
	var network net.Error
	return errors.As(err, &network) ||
		slices.Contains(elsewhere, document.KindOf(err)) ||
		slices.ContainsFunc(passing, func(known error) bool { return errors.Is(err, known) })
}
