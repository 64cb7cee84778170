package gateway

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
)

// endpoint is one request that the interface takes.
type endpoint struct {
	method, path string
	// subject is the request that it stands for; the contract says who may.
	subject string
	// most is how many bytes a body may have; 0: what the configuration says.
	most int64
	// body makes the body of the request; nil: it is that of the request over HTTP.
	body func(r *http.Request) json.RawMessage
	// One of these answers.
	whole func(ctx context.Context, nc *nats.Conn, body json.RawMessage) (json.RawMessage, error)
	parts func(ctx context.Context, nc *nats.Conn, body json.RawMessage, each func(json.RawMessage) error) error
	own   func(s *Service, w http.ResponseWriter, r *http.Request, who door.Asker) error
}

// largest is what documents that are put may take: what the server lets through.
const largest = 8 << 20

const base = "/api/v1"

// endpoints are all of them, as schemas/openapi.yaml describes them.
func endpoints() []endpoint {
	put := whole("POST", "/documents", client.Put)
	put.most = largest
	remove := whole("DELETE", "/sources/{source}", client.RemoveSource)
	remove.body = func(r *http.Request) json.RawMessage {
		js, _ := json.Marshal(map[string]string{"source": r.PathValue("source")}) // strings can be encoded
		return js
	}
	forget := whole("DELETE", "/watches/{id}", client.RemoveWatch)
	forget.body = func(r *http.Request) json.RawMessage {
		js, _ := json.Marshal(contract.WatchRemove{ID: r.PathValue("id")}) // strings can be encoded
		return js
	}
	unlearn := whole("DELETE", "/golden/{source}/{id}", client.RemoveGolden)
	unlearn.body = func(r *http.Request) json.RawMessage {
		js, _ := json.Marshal(map[string]string{"source": r.PathValue("source"), "id": r.PathValue("id")}) // strings can be encoded
		return js
	}
	drop := whole("DELETE", "/evaluations/{id}", client.RemoveEvaluation)
	drop.body = func(r *http.Request) json.RawMessage {
		js, _ := json.Marshal(contract.EvaluationRemove{ID: r.PathValue("id")}) // strings can be encoded
		return js
	}
	revoke := whole("DELETE", "/keys/{name}", client.RevokeKey)
	revoke.body = func(r *http.Request) json.RawMessage {
		js, _ := json.Marshal(contract.KeyRevoke{Name: r.PathValue("name")}) // strings can be encoded
		return js
	}
	return []endpoint{
		whole("POST", "/search", client.Search),
		whole("POST", "/grep", client.Grep),
		parts("POST", "/files", client.Files),
		whole("POST", "/read", client.Read),
		whole("POST", "/outline", client.Outline),
		whole("POST", "/passages", client.Passages),
		whole("POST", "/context", client.Context),
		whole("POST", "/related", client.Related),
		parts("POST", "/answer", client.Answer),
		whole("GET", "/watches", client.ListWatches),
		whole("POST", "/watches", client.AddWatch),
		forget,
		whole("POST", "/explain", client.ExplainQuery),
		whole("POST", "/explain/path", client.ExplainFile),
		whole("GET", "/status", client.Status),
		whole("GET", "/sources", client.Sources),
		whole("POST", "/sources", client.AddSource),
		remove,
		put,
		whole("POST", "/documents/delete", client.Delete),
		whole("POST", "/token", client.Announce),
		whole("POST", "/feedback", client.GiveFeedback),
		whole("POST", "/feedback/list", client.ListFeedback),
		whole("GET", "/golden", client.ListGolden),
		whole("POST", "/golden", client.PutGolden),
		unlearn,
		whole("POST", "/evaluations", client.ListEvaluations),
		parts("POST", "/evaluate", client.Evaluate),
		drop,
		parts("POST", "/verify", client.Verify),
		parts("POST", "/verify/files", client.VerifyFiles),
		whole("GET", "/losses", client.Losses),
		whole("POST", "/losses/accept", client.AcceptLosses),
		whole("POST", "/build/accept", client.AcceptBuild),
		whole("POST", "/build/reindex", client.Reindex),
		whole("POST", "/build/reload", client.Reload),
		whole("POST", "/lease", client.CheckLease),
		whole("POST", "/embed", client.Embed),
		whole("POST", "/reranker", client.Reranker),
		whole("POST", "/ranking", client.Ranking),
		whole("GET", "/access", client.ListAccess),
		whole("GET", "/keys", client.ListKeys),
		whole("POST", "/keys", client.AddKey),
		revoke,
		whole("POST", "/feedback/purge", client.PurgeFeedback),
		whole("POST", "/audit/list", client.ListAudit),
		whole("POST", "/sweep", client.Sweep),
		whole("POST", "/erase/index", client.EraseIndex),
		whole("POST", "/erase/log", client.EraseLog),
		whole("POST", "/letters/list", client.ListDead),
		whole("POST", "/letters/show", client.ShowDead),
		whole("POST", "/letters/retry", client.RetryDead),
		whole("POST", "/letters/drop", client.DropDead),
		whole("POST", "/letters/outcome", client.DeadOutcome),
		{method: "GET", path: base + "/events/status", subject: contract.SubjectStatus, own: (*Service).statusEvents},
		{method: "GET", path: base + "/events/changes", subject: contract.AllChanges, own: (*Service).changeEvents},
		{method: "GET", path: base + "/events/standing", subject: contract.AllStanding, own: keptEvents},
		{method: "POST", path: agentsPath, subject: contract.SubjectSearch, own: (*Service).agents},
		{method: "GET", path: agentsPath, subject: contract.SubjectSearch, own: (*Service).agents},
		{method: "DELETE", path: agentsPath, subject: contract.SubjectSearch, own: (*Service).agents},
		{method: "GET", path: base + "/asker", own: (*Service).asker},
		{method: "POST", path: base + "/links", own: (*Service).makeLink},
	}
}

func whole[Req, Rep any](method, path string, e client.Endpoint[Req, Rep]) endpoint {
	return endpoint{method: method, path: base + path, subject: e.Subject(), whole: e.Forward}
}

func parts[Req, Part any](method, path string, s client.Stream[Req, Part]) endpoint {
	return endpoint{method: method, path: base + path, subject: s.Subject(), parts: s.Forward}
}
