package rpc_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// refusing serves an endpoint of each form that answers with an error, and
// returns how a caller asks each.
func refusing(t *testing.T, refusal error) map[string]func() error {
	t.Helper()
	b := bustest.New(t)
	svc, err := rpc.NewService(b, "refuser", "answers with an error", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Stop() })
	err = errors.Join(
		rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "once", Subject: "refuser.once"},
			func(context.Context, question) (question, error) { return question{}, refusal }),
		rpc.StreamEndpoint(t.Context(), svc, rpc.Options{Name: "parts", Subject: "refuser.parts"},
			func(_ context.Context, _ question, send func(question) error) error {
				return errors.Join(send(question{1}), refusal)
			}))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]func() error{
		"one answer": func() error {
			_, err := rpc.Call[question, question](t.Context(), b.Conn(), "refuser.once", question{})
			return err
		},
		"an answer in parts": func() error {
			return rpc.CallStream(t.Context(), b.Conn(), "refuser.parts", question{}, func(question) error { return nil })
		},
	}
}

func TestActionsOfAnError_SurviveTheWay(t *testing.T) {
	t.Parallel()
	want := []document.Action{{Do: document.DoSourceAdd, Path: "/src/a%25b"}, {Do: document.DoRaiseLimit, Setting: "limits.files"}}
	for form, ask := range refusing(t, document.Errorf(document.NotFound, "there is no source").With(want...)) {
		err := ask()
		if got := document.ActionsOf(err); document.KindOf(err) != document.NotFound || err.Error() != "there is no source" || !slices.Equal(got, want) {
			t.Errorf("%s: %v of kind %s with %v", form, err, document.KindOf(err), got)
		}
	}
}

func TestErrorThatNobodyTyped_IsInternal(t *testing.T) {
	t.Parallel()
	for form, ask := range refusing(t, io.ErrUnexpectedEOF) {
		var typed *document.Error
		if err := ask(); !errors.As(err, &typed) || typed.Kind != document.Internal || typed.Message != io.ErrUnexpectedEOF.Error() {
			t.Errorf("%s: %v of kind %q", form, err, document.KindOf(err))
		}
	}
}

// A service of another program, or of a later version, may answer with a kind
// that is none of the list.
func TestUnknownKindOfError_BecomesInternal(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	sub, err := b.Conn().Subscribe("stranger.ask", func(m *nats.Msg) {
		_ = m.RespondMsg(&nats.Msg{Header: nats.Header{micro.ErrorCodeHeader: {"500"}, micro.ErrorHeader: {"oops"}}, Data: []byte("no JSON")})
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	_, err = rpc.Call[question, question](t.Context(), b.Conn(), "stranger.ask", question{})
	if document.KindOf(err) != document.Internal || err.Error() != "oops" {
		t.Errorf("%v has the kind %q", err, document.KindOf(err))
	}
}
