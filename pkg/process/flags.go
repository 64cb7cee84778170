package process

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// options are what a command line says.
type options struct {
	config  string
	log     string
	version bool
	ready   bool
}

// parse reads a command line. The error is flag.ErrHelp after the usage was
// written to out, else InvalidRequest.
func parse(name string, args []string, out io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.config, "config", "", "configuration `file`; every key has an environment variable, such as FRESHET_NATS_URL")
	f.StringVar(&o.log, "log", "", "least severe messages that are logged: debug, info, warn or error (default: log in the configuration)")
	f.BoolVar(&o.version, "version", false, "print the version and exit")
	f.BoolVar(&o.ready, "ready", false, "ask the process that runs with this configuration whether it is ready, and exit with 0 or 1")
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(out)
		_, _ = fmt.Fprintf(out, "Usage: %s [FLAGS]\n\nRuns the service %s of freshet until it is told to stop.\n\n", name, name)
		f.PrintDefaults()
		return o, err
	case err != nil:
		return o, document.Errorf(document.InvalidRequest, "%s: see `%s --help`", err.Error(), name)
	case f.NArg() > 0:
		return o, document.Errorf(document.InvalidRequest, "%q is not understood: `%s` takes flags only, see `%s --help`", strings.Join(f.Args(), " "), name, name)
	}
	return o, nil
}

// load reads the configuration that a command line asks for.
func (o options) load(environ []string) (config.Config, error) {
	if o.log != "" {
		environ = append(environ[:len(environ):len(environ)], config.Variable("log")+"="+o.log)
	}
	return config.Load(o.config, environ...)
}

func versionLine(name string) string {
	return fmt.Sprintf("%s %s %s/%s %s\n", name, Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}
