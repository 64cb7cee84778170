package gateway

import (
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
)

// Token is what a program sends to be let in as a role, by a gateway with a secret.
func Token(secret bus.Secret, role contract.Role) string { return door.Token(secret, role) }
