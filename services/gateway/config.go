package gateway

import "github.com/freshet-dev/freshet/pkg/config"

// Config configures the service.
type Config struct {
	// Gateway is what the configuration says, and has to be valid; what was left
	// out is an error of New.
	config.Gateway
}

// FromConfig takes what the service needs out of the configuration of all.
func FromConfig(c config.Config) Config { return Config{c.Gateway} }
