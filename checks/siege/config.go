package siege

import (
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Config says how long and how hard to besiege.
type Config struct {
	// Mode is Embedded, Servers or Calm; "" is Embedded.
	Mode string
	// Program is the freshet that is started in every round of one process.
	Program string
	// Services is the folder of the services' programs, NATSConfig the
	// configuration of the NATS server that they share, and ElasticURL and
	// WeaviateURL are their stores, in rounds of Servers.
	Services, NATSConfig, ElasticURL, WeaviateURL string
	// Folder gets a folder for each round, which goes when the round was clean.
	Folder string
	// Ledger is the file that every round is added to.
	Ledger string
	// For is how long to go on; the round that runs then is ended.
	For time.Duration
	// Length of a round; 0 has the seed choose between MinRound and MaxRound.
	Length time.Duration
	// Rounds is how many there are at most; 0 is as many as the time allows.
	Rounds int
	// Seed of the first round; 0 goes on where the ledger ends.
	Seed uint64
	// Writers and Readers of the vulture.
	Writers, Readers int
	// Damage has bits of the log flipped while the program is down.
	Damage bool
	// Out gets a line for each round, and what went wrong.
	Out io.Writer
}

// The length of a round that a seed may choose.
const (
	MinRound = 60 * time.Second
	MaxRound = 180 * time.Second
)

// leastRound is below what no further round is begun: it would spend its time
// on starting the program.
const leastRound = 15 * time.Second

func (c *Config) setDefaults() error {
	if c.Mode == "" {
		c.Mode = Embedded
	}
	if c.Writers == 0 {
		c.Writers = 4
	}
	if c.Readers == 0 {
		c.Readers = 12
	}
	if c.Out == nil {
		c.Out = io.Discard
	}
	if c.Ledger == "" {
		path, err := DefaultLedger()
		if err != nil {
			return err
		}
		c.Ledger = path
	}
	_, known := forms[c.Mode]
	switch {
	case !known:
		return document.Errorf(document.InvalidRequest, "there is no siege of the mode %q: it is %s, %s or %s", c.Mode, Embedded, Servers, Calm)
	case c.Mode == Servers && (c.Services == "" || c.NATSConfig == "" || c.ElasticURL == "" || c.WeaviateURL == ""):
		return document.Errorf(document.InvalidRequest, "a siege over servers needs the programs of the services, a configuration of NATS, and the variables ELASTIC_URL and WEAVIATE_URL: use make siege-servers")
	case c.Mode == Calm && c.Damage:
		return document.Errorf(document.InvalidRequest, "--damage is a blow, and a siege of the mode %s has none", Calm)
	case c.Mode == Servers && c.Damage:
		return document.Errorf(document.InvalidRequest, "--damage is for the log of a single program: the shared NATS server runs on")
	case c.Mode != Servers && c.Program == "":
		return document.Errorf(document.InvalidRequest, "there is no program to besiege: name a freshet with --program")
	case c.For <= 0 && c.Rounds <= 0:
		return document.Errorf(document.InvalidRequest, "a siege needs an end: give --for, or --rounds")
	case c.Length < 0 || c.Rounds < 0 || c.Writers < 1 || c.Readers < 1:
		return document.Errorf(document.InvalidRequest, "--round, --rounds, --writers and --readers may not be negative")
	}
	return nil
}

// DefaultLedger is where checked answers are counted where no file is named.
func DefaultLedger() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", document.Errorf(document.InvalidRequest, "there is no folder for the ledger (%w): name a file with --ledger", err)
	}
	return filepath.Join(dir, "freshet", "siege.jsonl"), nil
}
