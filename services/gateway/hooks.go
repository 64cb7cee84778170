package gateway

import (
	"context"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/gateway/internal/hook"
)

// hooksPath is where webhooks are sent, each by its name.
const hooksPath = "/hooks/"

// hookWait is how long a maker waits for the answer; Gitea gives up after 5 s. A look
// that takes longer goes on.
const hookWait = 4 * time.Second

// hookSecret is the least number of characters.
const hookSecret = 16

// webhook is one that the configuration has.
type webhook struct {
	*hook.Hook
	source document.Source
}

// openHooks reads the secrets. The error is InvalidRequest.
func openHooks(list []config.Hook) (map[string]webhook, error) {
	out := map[string]webhook{}
	for _, c := range list {
		text, err := os.ReadFile(c.SecretFile)
		secret := strings.TrimSpace(string(text))
		switch {
		case err != nil:
			return nil, document.Errorf(document.InvalidRequest, "the secret of the webhook %s cannot be read: %w", c.Name, err)
		case len(secret) < hookSecret:
			return nil, document.Errorf(document.InvalidRequest, "the secret of the webhook %s in %s has %d characters: use at least %d, such as `openssl rand -hex 32` writes", c.Name, c.SecretFile, len(secret), hookSecret)
		}
		out[c.Name] = webhook{hook.New(c.Kind, secret, time.Now), document.Source(c.Source)}
	}
	return out, nil
}

// hooked is what a webhook is answered with.
type hooked struct {
	Event  string          `json:"event"`
	Source document.Source `json:"source"`
	// Token covers what was pushed; none where the event is no push, or the look has
	// not ended.
	Token   *document.Token `json:"token,omitempty"`
	Changed int             `json:"changed,omitempty"`
	Looking bool            `json:"looking,omitempty"`
}

// takeHook answers a webhook: a push leads to a look at the source.
func (s *Service) takeHook(w http.ResponseWriter, r *http.Request) error {
	h, known := s.hooks[r.PathValue("name")]
	if !known {
		return document.Errorf(document.NotFound, "there is no webhook %s: name it in gateway.hooks", document.Shorten(r.PathValue("name")))
	}
	slow := http.NewResponseController(w)
	_ = slow.SetReadDeadline(time.Now().Add(bodyTime)) // a recorder of a test has none
	r.Body = http.MaxBytesReader(w, r.Body, hook.Most)
	event, err := h.Read(r)
	_ = slow.SetReadDeadline(time.Time{})
	if err != nil {
		return err
	}
	takeBack, err := h.Once(event)
	if err != nil {
		return err
	}
	answer := hooked{Event: event.Name, Source: h.source}
	if !event.Push {
		return answerJSON(w, answer)
	}
	type seen struct {
		contract.AnnounceReply
		err error
	}
	done := make(chan seen, 1)
	begun := s.looks.begin(func(ctx context.Context) {
		reply, err := s.lookAt(ctx, h.source)
		if err != nil {
			takeBack()
			s.log.Warn("a webhook led to no look", "source", h.source, "error", err)
		}
		done <- seen{reply, err}
	})
	if !begun {
		takeBack()
		return document.Errorf(document.Unavailable, "the gateway is stopping: send the webhook again")
	}
	select {
	case got := <-done:
		if got.err != nil {
			return got.err
		}
		answer.Token, answer.Changed = &got.Token, got.Changed
	case <-time.After(hookWait):
		answer.Looking = true
	case <-r.Context().Done():
		return nil // who asked has left, and the look goes on
	}
	return answerJSON(w, answer)
}

// lookAt has the watcher look at a source.
func (s *Service) lookAt(ctx context.Context, source document.Source) (reply contract.AnnounceReply, err error) {
	list, err := client.Sources.Ask(ctx, s.conn, client.None)
	if err != nil {
		return reply, err
	}
	i := slices.IndexFunc(list.Sources, func(i contract.SourceInfo) bool { return i.Source == source })
	if i < 0 || list.Sources[i].Root == "" {
		return reply, document.Errorf(document.NotFound, "the webhook is for the source %s, and no folder or repository is watched as that", source).Do(document.DoSourceList)
	}
	req := contract.Announce{Hook: "webhook"}
	if root := list.Sources[i].Root; list.Sources[i].Kind == contract.SourceFolder {
		req.Paths = []string{root}
	} else {
		req.Repository = root
	}
	return client.Announce.Ask(ctx, s.conn, req)
}
