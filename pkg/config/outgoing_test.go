package config_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestSources_HaveTheirOwnWayWithSecrets(t *testing.T) {
	o := config.Default().Outgoing
	o.Skip, o.Send = []string{"a"}, []string{"b"}
	for source, want := range map[document.Source]string{"a": config.SecretsSkip, "b": config.SecretsSend, "c": config.SecretsRedact} {
		if got := o.Of(source); got != want {
			t.Errorf("of %s: %s, want %s", source, got, want)
		}
	}
	if got := (config.Outgoing{}).Of("a"); got != config.SecretsRedact {
		t.Errorf("where nothing is said: %s", got)
	}
}

func TestSourceNamedForTwoWaysWithSecrets_IsRefused(t *testing.T) {
	c := config.Default()
	c.Outgoing.Skip, c.Outgoing.Refuse = []string{"a"}, []string{"A b", "a"}
	err := c.Validate()
	if err == nil || !strings.Contains(err.Error(), "outgoing.refuse[0] is ") || !strings.Contains(err.Error(), "outgoing.refuse[1] is \"a\", which stands under outgoing.skip, too") {
		t.Errorf("got %v", err)
	}
}
