package siege

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// deployment is the freshet of a round: its processes, and how it is reached.
type deployment struct {
	members []*member
	log     *os.File // that all of them write
	url     string   // of NATS
	// login is that of a user: bus.UserServices, who reads the log, or a role.
	// It is known once the deployment is ready.
	login func(user string) (bus.Remote, error)
	// ready waits until the processes answer. The round is connected then.
	ready func(ctx context.Context) error
	// close ends what runs beside the processes.
	close func() error
}

// start starts every process, and returns before they are ready.
func (d *deployment) start() error {
	for _, p := range d.members {
		if err := p.start(); err != nil {
			return err
		}
	}
	return nil
}

// fallen returns an error where a process ended without being told to.
func (d *deployment) fallen() error {
	for _, p := range d.members {
		if err := p.fallen(); err != nil {
			return err
		}
	}
	return nil
}

// end ends every process as an operator does.
func (d *deployment) end() error {
	var err error
	for _, p := range d.members {
		err = errors.Join(err, p.end())
	}
	return err
}

// kill ends whatever of it runs, and returns the processor time of all that ran.
func (d *deployment) kill() time.Duration {
	var spent time.Duration
	for _, p := range d.members {
		if p.cmd != nil && p.cmd.Process != nil {
			p.kill()
		}
		spent += p.spent
	}
	return spent
}

// written returns the log of the processes so far.
func (d *deployment) written() ([]byte, error) {
	if _, err := d.log.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(d.log)
}
