package deploy

import (
	"slices"
	"testing"
)

// The port that the image listens on is the one that compose publishes.
func TestGatewayOfCompose_IsAskedAtItsPort(t *testing.T) {
	p := loadCompose(t, team)
	image, ports := readImage(t, "gateway"), p.Services["gateway"].Ports
	c := loadServiceConfig(t, p, "gateway")
	if _, open := image.ExposedPorts["4723/tcp"]; !open || c.Gateway.Listen != ":4723" || len(ports) != 1 || ports[0].Target != 4723 || ports[0].Published != "4723" {
		t.Errorf("it listens on %s, exposes %v and publishes %+v", c.Gateway.Listen, image.ExposedPorts, ports)
	}
	if !slices.Contains(c.Gateway.Hosts, "gateway") {
		t.Errorf("who asks by the name of the service is refused: %v", c.Gateway.Hosts)
	}
}
