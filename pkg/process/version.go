package process

// Version is the semantic version of all programs. Builds of a release replace
// it: go build -ldflags "-X github.com/freshet-dev/freshet/pkg/process.Version=1.2.3".
var Version = "0.1.0-dev"
