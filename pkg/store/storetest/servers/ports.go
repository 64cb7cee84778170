package servers

import (
	"fmt"
	"math/rand/v2"
	"net"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Servers take their ports from a range below the one from which Linux (32768)
// and macOS (49152) take the ports of outgoing connections, so that nobody gets
// a port while its server is stopped.
const (
	firstPort = 20000
	lastPort  = 30000
	blockSize = 10
)

// ports are a block of ports of one server.
type ports struct {
	base int
	lock net.Listener // on base, by which other processes see that the block is taken
}

// reserve finds a block in which nobody listens. It is held until release, or
// until this process ends.
func reserve() (*ports, error) {
	const blocks = (lastPort - firstPort) / blockSize
	start := rand.IntN(blocks)
	for i := range blocks {
		base := firstPort + (start+i)%blocks*blockSize
		lock, err := listen(base)
		if err != nil {
			continue
		}
		if free(base+1, base+blockSize) {
			return &ports{base: base, lock: lock}, nil
		}
		_ = lock.Close() // somebody's port is in this block
	}
	return nil, document.Errorf(document.Unavailable, "no %d ports in a row are free on 127.0.0.1 between %d and %d; end some programs that listen there", blockSize, firstPort, lastPort)
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

func free(from, to int) bool {
	for port := from; port < to; port++ {
		l, err := listen(port)
		if err != nil {
			return false
		}
		_ = l.Close() // it was only a question
	}
	return true
}

// at is the i-th port of the block, from 1 to 9.
func (p *ports) at(i int) int { return p.base + i }

func (p *ports) release() { _ = p.lock.Close() } // it may have been released before
