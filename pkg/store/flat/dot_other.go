//go:build !amd64 && !arm64

package flat

// kernels lists what this processor can run, fastest first.
func kernels() []kernel { return []kernel{{"plain", dotPlain}} }
