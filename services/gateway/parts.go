package gateway

import (
	"encoding/json"
	"mime"
	"net/http"
	"strings"

	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// Ways to send an answer in parts.
const (
	inLines  = "application/x-ndjson"
	asEvents = "text/event-stream"
)

// partsAs is how whoever asks wants an answer in parts: in lines, but where they name
// events and not lines.
func partsAs(r *http.Request) string {
	way := inLines
	for _, accepted := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		switch kind, _, _ := mime.ParseMediaType(accepted); kind {
		case inLines:
			return inLines
		case asEvents:
			way = asEvents
		}
	}
	return way
}

// stream answers in parts, each a line of JSON or an event. An error behind the first of
// them is the last.
func (s *Service) stream(e endpoint, w http.ResponseWriter, r *http.Request, body json.RawMessage) error {
	begun, way := false, partsAs(r)
	flush := http.NewResponseController(w)
	send := func(event string, js []byte) error {
		if !begun {
			begun = true
			w.Header().Set("Content-Type", way)
			w.WriteHeader(http.StatusOK)
		}
		text := string(js) + "\n"
		if way == asEvents {
			text = "event: " + event + "\ndata: " + string(js) + "\n\n"
		}
		reply.Hasten(w)
		if _, err := w.Write([]byte(text)); err != nil {
			return err
		}
		return flush.Flush()
	}
	err := e.parts(r.Context(), s.conn, body, func(part json.RawMessage) error { return send("part", part) })
	if err == nil || !begun || r.Context().Err() != nil {
		return err
	}
	js, merr := json.Marshal(reply.Body(err))
	if merr == nil {
		_ = send("error", js) // who does not read it any more has left
	}
	return nil
}
