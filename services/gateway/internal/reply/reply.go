// Package reply writes answers: the bodies that the contract has, over HTTP as
// over NATS.
package reply

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// codes are the status of each kind of error.
var codes = map[document.ErrorKind]int{
	document.InvalidRequest:   http.StatusBadRequest,
	document.Unauthorized:     http.StatusUnauthorized,
	document.Forbidden:        http.StatusForbidden,
	document.NotFound:         http.StatusNotFound,
	document.Conflict:         http.StatusConflict,
	document.IdentityMismatch: http.StatusConflict,
	document.TokenUnknown:     http.StatusPreconditionFailed, // an answer that fresh cannot be had
	document.TooLarge:         http.StatusRequestEntityTooLarge,
	document.RateLimited:      http.StatusTooManyRequests,
	document.Internal:         http.StatusInternalServerError,
	document.VersionMismatch:  http.StatusBadGateway,
	document.Unavailable:      http.StatusServiceUnavailable,
	document.Deadline:         http.StatusGatewayTimeout,
}

// Code is the status of an error.
func Code(err error) int { return codes[document.KindOf(err)] }

// soon is when to ask again where an error that passes does not say so.
const soon = time.Second

// Body is an error as it crosses the wire.
func Body(err error) contract.ErrorReply {
	told := document.Told(err)
	if told.RetryAfter == 0 && (told.Kind == document.Unavailable || told.Kind == document.RateLimited) {
		told.RetryAfter = soon
	}
	return contract.ErrorReply{Error: *told, RetryAfterMS: told.RetryAfter.Milliseconds()}
}

// Error answers with an error.
func Error(w http.ResponseWriter, err error) {
	body := Body(err)
	if ms := body.RetryAfterMS; ms > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((ms+999)/1000, 10))
	}
	if body.Error.Kind == document.Unauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="freshet"`)
	}
	js, merr := json.Marshal(body)
	if merr != nil {
		http.Error(w, merr.Error(), http.StatusInternalServerError)
		return
	}
	write(w, codes[body.Error.Kind], js)
}

// JSON answers with a body that is JSON already.
func JSON(w http.ResponseWriter, js []byte) { write(w, http.StatusOK, js) }

// writeTime is how long a client may take to receive a part of an answer.
const writeTime = 30 * time.Second

func write(w http.ResponseWriter, code int, js []byte) {
	w.Header().Set("Content-Type", "application/json")
	Hasten(w)
	w.WriteHeader(code)
	_, _ = w.Write(js) // who does not read it any more has left
}

// Hasten gives the client from now on the time for one more part of the answer. A
// client that does not take it by then is cut off.
func Hasten(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime)) // a recorder of a test has none
}
