package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What becomes of a passage that holds a secret.
const (
	SecretsRedact = "redact" // it is sent without the secret
	SecretsSkip   = "skip"   // nothing of it is sent
	SecretsRefuse = "refuse" // nothing of its document is sent
	SecretsSend   = "send"   // it is sent as it is
)

// Outgoing says what of a text may go to a model of somebody's server.
type Outgoing struct {
	Secrets  string   `yaml:"secrets" doc:"What becomes of a passage that holds a secret, such as a key or a password, before it goes to a server that makes vectors: the secret is taken out of what is sent (redact), nothing of the passage is sent, and it is found by its words alone (skip), nothing of the document is sent, which ends among the dead letters (refuse), or it is sent as it is (send). What a reranker or a language model is given, and questions, are redacted with skip and refuse, too." enum:"redact,skip,refuse,send"`
	Personal bool     `yaml:"personal" doc:"Treat e-mail addresses, and numbers of bank accounts and payment cards, as secrets."`
	Redact   []string `yaml:"redact" doc:"Sources with redact, whatever secrets says."`
	Skip     []string `yaml:"skip" doc:"Sources with skip."`
	Refuse   []string `yaml:"refuse" doc:"Sources with refuse."`
	Send     []string `yaml:"send" doc:"Sources with send."`
}

// lists are the sources by what becomes of their secrets.
func (o Outgoing) lists() map[string][]string {
	return map[string][]string{SecretsRedact: o.Redact, SecretsSkip: o.Skip, SecretsRefuse: o.Refuse, SecretsSend: o.Send}
}

// Of is what becomes of the secrets of a source. A section that was made in code need not
// say that they are taken out.
func (o Outgoing) Of(source document.Source) string {
	for what, sources := range o.lists() {
		if slices.Contains(sources, string(source)) {
			return what
		}
	}
	return o.Any()
}

// Any is what becomes of secrets that are of no source, such as those of a question.
func (o Outgoing) Any() string { return cmp.Or(o.Secrets, SecretsRedact) }

func (p *Problems) outgoing(o Outgoing) {
	named := map[string]string{}
	for _, what := range []string{SecretsRedact, SecretsSkip, SecretsRefuse, SecretsSend} {
		for i, s := range o.lists()[what] {
			at := fmt.Sprintf("outgoing.%s[%d]", what, i)
			if _, err := document.ParseSource(s); err != nil {
				p.addf(at, "is %q: use the name of a source, 1 to 64 of a-z, 0-9, - and _", s)
			}
			if other := named[s]; other != "" {
				p.addf(at, "is %q, which stands under outgoing.%s, too: name it once", s, other)
			}
			named[s] = what
		}
	}
}
