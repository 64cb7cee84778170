package servers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/freshet-dev/freshet/pkg/document"
)

// FolderVariable names the environment variable for the folder with the built
// servers. Without it they are in freshet-servers below $XDG_CACHE_HOME or
// ~/.cache.
const FolderVariable = "FRESHET_SERVERS"

// inputs are the files from which a server is built, in a folder of its name
// below deploy/servers.
var inputs = map[string][]string{
	elasticsearch.name: {"pom.xml", "SHA256SUMS", "EsNode.java"},
	weaviate.name:      {"go.mod", "go.sum"},
}

// built returns the folder with the built server of that name.
func built(name string) (string, error) {
	dir, err := target(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return "", document.Errorf(document.NotFound, "%s is not built: %s is missing; run make servers-build", name, dir)
	} else if err != nil {
		return "", fmt.Errorf("find the built %s: %w", name, err)
	}
	return dir, nil
}

// target is the folder in which the server of that name is, once it is built. It
// changes with what the server is built from.
func target(name string) (string, error) {
	base := os.Getenv(FolderVariable)
	if base == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", fmt.Errorf("find the folder of the built servers: %w", err)
			}
			cache = filepath.Join(home, ".cache")
		}
		base = filepath.Join(cache, "freshet-servers")
	}
	base, err := filepath.Abs(base)
	if err != nil {
		return "", fmt.Errorf("find the folder of the built servers: %w", err)
	}
	from, err := sources(name)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, runtime.GOOS, runtime.GOARCH) // a hash takes everything
	for _, file := range inputs[name] {
		content, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			return "", fmt.Errorf("read what %s is built from: %w", name, err)
		}
		_, _ = fmt.Fprintln(sum, file, len(content))
		_, _ = sum.Write(content)
	}
	return filepath.Join(base, name+"-"+hex.EncodeToString(sum.Sum(nil))[:16]), nil
}

// sources is the folder from which the server of that name is built. It is found
// from the working folder, which for a test is that of its package.
func sources(name string) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find deploy/servers: %w", err)
	}
	for {
		from := filepath.Join(dir, "deploy", "servers", name)
		if _, err := os.Stat(from); err == nil {
			return from, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", document.Errorf(document.NotFound, "there is no deploy/servers/%s above the working folder; run this inside a checkout of freshet", name)
		}
		dir = up
	}
}
