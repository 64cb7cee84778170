package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/page"
	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// asker tells who asks who they are.
func (s *Service) asker(w http.ResponseWriter, _ *http.Request, who door.Asker) error {
	return answerJSON(w, map[string]any{"role": who.Role, "page": who.Page})
}

// makeLink makes a link that lets a browser in once, as who asks or as less.
func (s *Service) makeLink(w http.ResponseWriter, r *http.Request, who door.Asker) error {
	if !strings.HasPrefix(who.Name, contract.UserPrefix) {
		// The session would be a role's, which may see what who asks does not.
		return document.Errorf(document.Forbidden, "a key or an issuer's token opens no page: ask with it itself")
	}
	body, err := s.read(endpoint{}, w, r)
	if err != nil {
		return err
	}
	var asked struct {
		Role contract.Role `json:"role"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return document.Errorf(document.InvalidRequest, "the request is not understood: %w", err)
	}
	if asked.Role == "" {
		asked.Role = who.Role
	}
	if !who.Role.Includes(asked.Role) {
		return document.Errorf(document.Forbidden, "a link gives no more than the role of who makes it, which is %s", who.Role)
	}
	code, until, err := s.door.Link(asked.Role)
	if err != nil {
		return err
	}
	return answerJSON(w, map[string]any{"url": s.URL() + "/open?code=" + url.QueryEscape(code), "role": asked.Role, "until": until.UTC()})
}

// open lets the browser in that brings a code.
func (s *Service) open(w http.ResponseWriter, r *http.Request) {
	cookie, half, err := s.door.Open(r, r.URL.Query().Get("code"))
	if err != nil {
		page.Refused(w)
		return
	}
	http.SetCookie(w, cookie)
	page.Opened(w, half)
}

func answerJSON(w http.ResponseWriter, v any) error {
	js, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	reply.JSON(w, js)
	return nil
}
