package process

import "runtime/debug"

// Version is the semantic version of all programs. Builds of a release replace
// it: go build -ldflags "-X github.com/freshet-dev/freshet/pkg/process.Version=1.2.3".
var Version = "0.1.0-dev"

// commit is what build scripts set it to, as they do Version.
var commit string

// Commit returns the first 12 digits of the commit that the program was built of,
// with a + where files were changed, or "" where it is not known.
func Commit() string {
	info, ok := debug.ReadBuildInfo()
	if commit != "" || !ok {
		return commit
	}
	built, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			built = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if built == "" {
		return ""
	}
	return built + changed
}
