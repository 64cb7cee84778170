//go:build !amd64 && !arm64

package dot

// kernels lists what this processor can run, fastest first.
func kernels() []Kernel { return []Kernel{{"plain", dotPlain}} }
