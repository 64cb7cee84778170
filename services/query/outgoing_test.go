package query

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// A reranker is sent no secret, in passages or in the question; what it is sent where that
// is allowed shows that this test would see one.
func TestSecrets_DoNotReachTheReranker(t *testing.T) {
	const canary = "9fK2vQx7ZpL4mT1wR8sN"
	for _, what := range []string{config.SecretsRedact, config.SecretsSkip, config.SecretsSend} {
		c := &crossEncoder{}
		r := reranked(t, c, func(cfg *Config) { cfg.Outgoing.Secrets = what })
		r.stored("secret.yaml", "rotate the key\napi_token: \""+canary+"\"\n")
		in := rotate
		in.Query += " api_token=" + canary
		r.search(in)
		c.mu.Lock()
		asked, sent := strings.Join(c.asked, "\n"), strings.Join(slices.Concat(c.sent...), "\n")
		c.mu.Unlock()
		if has := strings.Contains(sent, canary) && strings.Contains(asked, canary); has != (what == config.SecretsSend) || !strings.Contains(sent, "secret.yaml") {
			t.Errorf("%s: it was asked %q and sent %q", what, asked, sent)
		}
		if what != config.SecretsSend && strings.Contains(sent+asked, canary) {
			t.Errorf("%s: the reranker has the secret", what)
		}
		if n := r.svc.Report().Counters["secrets_redacted"]; n == 0 != (what == config.SecretsSend) {
			t.Errorf("%s: counted %d", what, n)
		}
	}
}

// So is a language model, in passages, in what was said before, and in the question; the
// answer still names the passage.
func TestSecrets_DoNotReachTheLanguageModel(t *testing.T) {
	const canary = "9fK2vQx7ZpL4mT1wR8sN"
	for _, what := range []string{config.SecretsRefuse, config.SecretsSend} {
		model := &chat{says: func(string) string { return "It waits 2s between attempts to reconnect [1]." }}
		r := newRig(t, withModel(t, model), func(r *rig) { r.cfg.Outgoing.Secrets = what })
		r.stored("net/options.go", waits+"\nvar api_token = \""+canary+"\"\n")
		in := howLong
		in.Turns = []contract.Turn{{Role: "user", Text: `my api_token: "` + canary + `"`}, {Role: "assistant", Text: "so it is"}}
		got, err := r.answer(in)
		if err != nil || got.summary.Outcome != contract.AnswerGiven || len(got.sources) == 0 {
			t.Fatalf("%s: %+v, %v", what, got, err)
		}
		sent, err := json.Marshal(model.calls())
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(sent), canary); n >= 2 != (what == config.SecretsSend) || what != config.SecretsSend && n > 0 {
			t.Errorf("%s: the model was sent it %d times: %s", what, n, sent)
		}
	}
}
