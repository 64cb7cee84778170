package freshet

// Version is the program's semantic version. Builds of a release replace it:
// go build -ldflags "-X github.com/freshet-dev/freshet/services/freshet.Version=1.2.3".
var Version = "0.1.0-dev"
