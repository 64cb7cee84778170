package corpora

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/freshet-dev/freshet/lab/mine"
)

// VersionsFile says beside the tasks of Golden, Modules and Library what decides
// their ranks beside this project, one thing a line.
const VersionsFile = "versions.txt"

// writeVersions adds the processor's architecture: another one may round sums of
// scores otherwise.
func writeVersions(out string, versions []string) error {
	versions = append(versions, "sums on "+runtime.GOARCH)
	if err := os.WriteFile(filepath.Join(out, VersionsFile), []byte(strings.Join(versions, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("write the versions: %w", err)
	}
	return nil
}

// versionsOf names modules by their folders in the module cache, which end with
// the version.
func versionsOf(modules []mine.Source) []string {
	out := make([]string, len(modules))
	for i, m := range modules {
		out[i] = m.Name + " " + m.Path[strings.LastIndexByte(m.Path, '@')+1:]
	}
	return out
}
