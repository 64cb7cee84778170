package instance

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Files of a state folder that tell of the process that owns it.
const (
	// LockFile is held (flock) by that process.
	LockFile = "lock"
	// RecordFile holds its Record, as JSON.
	RecordFile = "instance.json"
	// StartFile is locked (flock) while somebody starts one in the background.
	StartFile = "start.lock"
	// LogFile is the log of one in the background, beside an older one with .1
	// behind its name.
	LogFile = "freshet.log"
)

// Record tells how to reach the process that owns a state folder.
type Record struct {
	URL string `json:"url"` // of an external server: with the login in it, if any
	// SecretFile is the absolute path of the secret; "" lets everybody in.
	SecretFile string    `json:"secret_file,omitempty"`
	PID        int       `json:"pid"`
	Version    string    `json:"version"`
	Started    time.Time `json:"started"`
	// AgentRoots are the folders below which an agent's server may have a project
	// indexed.
	AgentRoots []string `json:"agent_roots,omitempty"`
	// Config is the absolute path of its configuration file, which need not be there; ""
	// of a freshet that did not say.
	Config string `json:"config,omitempty"`
	// Gateway is the page and the HTTP interface; nil for none.
	Gateway *Gateway `json:"gateway,omitempty"`
}

// Gateway tells where the page and the HTTP interface of an instance are.
type Gateway struct {
	URL string `json:"url"` // without a slash at its end
	// SecretFile is the absolute path of the secret that its tokens are made of.
	SecretFile string `json:"secret_file"`
}

// Read reads the instance file of the state folder at path. The error
// is NotFound when no instance left one; one that was killed leaves it behind.
func Read(path string) (Record, error) {
	file := filepath.Join(path, RecordFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Record{}, document.Errorf(document.NotFound, "no freshet runs on %s", path).Do(document.DoStart, document.DoStateChoose, document.DoServerChoose)
	}
	if errors.Is(err, fs.ErrPermission) {
		return Record{}, document.Errorf(document.Forbidden, "no permission to read %s: ask as the user who started freshet, or name its server", file).Do(document.DoServerChoose)
	}
	if err != nil {
		return Record{}, document.Errorf(document.Unavailable, "cannot read %s: %w", file, err)
	}
	var r Record
	if err := json.Unmarshal(text, &r); err != nil || r.URL == "" {
		return Record{}, document.Errorf(document.Unavailable, "the file %s is damaged: start freshet again, or name the server of the running one", file).Do(document.DoServerChoose)
	}
	return r, nil
}

// Remote is how a user of the instance reaches it.
func (r Record) Remote(user string) (bus.Remote, error) {
	remote := bus.Remote{URL: r.URL}
	if r.SecretFile == "" {
		return remote, nil
	}
	secret, err := bus.ReadSecret(r.SecretFile)
	if err != nil {
		return remote, err
	}
	return secret.Login(remote, user), nil
}
