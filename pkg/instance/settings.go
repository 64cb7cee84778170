package instance

import (
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/config"
)

// ConfigFile is the configuration in a state folder, which is read where no other file is
// named.
const ConfigFile = "freshet.yaml"

// Load reads the configuration file that is named, or that of the state folder data, where
// there is one; "" are the folder that the environment names, or the user's. from is the
// path of the file that is read, or would be if it were there. Errors are those of
// config.Load.
func Load(file, data string) (cfg config.Config, from string, err error) {
	if file != "" {
		if from, err = filepath.Abs(file); err != nil {
			from = file
		}
		cfg, err = config.Load(file, Environ()...)
	} else if cfg, err = config.Load("", Environ()...); err == nil {
		if data != "" {
			cfg.Data = data
		}
		from, cfg, err = ofFolder(cfg)
	}
	if err == nil && data != "" {
		cfg.Data = data
	}
	return cfg, from, err
}

// ofFolder is the configuration in the state folder of cfg; cfg where there is none.
func ofFolder(cfg config.Config) (from string, _ config.Config, err error) {
	folder, err := Locate(cfg.Data)
	if err != nil {
		return "", cfg, err
	}
	from = filepath.Join(folder, ConfigFile)
	if _, err := os.Stat(from); err != nil {
		return from, cfg, nil //nolint:nilerr // Who may not read it is told when it is read.
	}
	there, err := config.Load(from, Environ()...)
	there.Data = cfg.Data // where it was found
	return from, there, err
}
