//go:build sabotage

package e2e

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/checks/vulture"
	"github.com/freshet-dev/freshet/pkg/bus"
)

// sabotage is a protection that is switched off, what has to happen for its
// lack to show, and what the vulture has to see then.
type sabotage struct {
	off   string
	fault string // of the services, while they run
	// behind is done to the state folder while nothing runs, after the vulture
	// has circled.
	behind func(t *testing.T, data string)
	wants  []vulture.Kind // at least one of these
	// unseen says that writes are missed for ever, so that there is no rest.
	unseen bool
	// circled is the length of the first flight; default three seconds.
	circled time.Duration
}

// lateWorker has a worker hang that found no output, until its document may be purged.
const lateWorker = "late worker"

// Each protection is switched off in turn; the vulture has to see what it
// protects from. With the protection, the same seed and the same fault show
// nothing.
func TestSabotage_IsNoticed(t *testing.T) {
	older := &olderCopy{}
	for _, c := range []sabotage{
		{off: "resolution", wants: []vulture.Kind{vulture.Ghost, vulture.Stale}},
		{off: "barrier", wants: []vulture.Kind{vulture.Late, vulture.Missing}},
		{off: "unknown-texts", wants: []vulture.Kind{vulture.Missing}},
		{off: "looked-again", wants: []vulture.Kind{vulture.Stale, vulture.Ghost}},
		{off: "lease", wants: []vulture.Kind{vulture.Untold}},
		{off: "outline", wants: []vulture.Kind{vulture.WrongLines, vulture.Missing}},
		{off: "delete", wants: []vulture.Kind{vulture.Orphan}},
		{off: "store-id", behind: exchangeStores, wants: []vulture.Kind{vulture.Missing, vulture.Lost}},
		{off: "position", behind: older.putBack, wants: []vulture.Kind{vulture.Missing, vulture.Lost}},
		{off: "sweep", behind: leaveOrphans, wants: []vulture.Kind{vulture.Orphan}},
		{off: "change-time", unseen: true, wants: []vulture.Kind{vulture.Missing}},
		{off: "names", unseen: true, wants: []vulture.Kind{vulture.Missing}},
		{off: "compare-and-swap", fault: "slow publish", wants: []vulture.Kind{vulture.Late, vulture.Missing, vulture.Stale, vulture.Orphan, vulture.Unequal, vulture.Unseen}},
	} {
		c.prove(t, older)
	}
	t.Run("nothing", func(t *testing.T) {
		report := sabotage{circled: 6 * time.Second}.clean(t, older)
		if report.Checked >= many && (report.ShownExact == 0 || report.Leased == 0) {
			t.Errorf("of %d answers none was of a document, or under a lease", report.Checked)
		}
	})
}

// What takes minutes to meet has a target of its own: a worker that hangs past a purge,
// and a question whose deadline finds a passage unchanged beside new lines, and ranked
// before them.
func TestPendingLinesAreSwitchedOff_MissIsNoticed(t *testing.T) {
	sabotage{off: "pending-lines", circled: 40 * time.Second, wants: []vulture.Kind{vulture.Missing}}.prove(t, &olderCopy{})
}

func TestPurgeFloorIsSwitchedOff_GhostIsNoticed(t *testing.T) {
	sabotage{off: "purge-floor", fault: lateWorker, circled: 35 * time.Second, wants: []vulture.Kind{vulture.Orphan, vulture.Unequal}}.prove(t, &olderCopy{})
}

// prove flies without the protection until the vulture sees what it is for, and with it
// over the same fault.
func (c sabotage) prove(t *testing.T, older *olderCopy) {
	t.Run(c.off, func(t *testing.T) {
		// On a busy machine a short flight may meet nothing.
		for circled := c.first(); circled < 2*time.Minute; circled *= 3 {
			if v := c.caught(c.fly(t, older, circled)); v != nil {
				t.Logf("caught: %s", v)
				return
			}
		}
		t.Errorf("without its %s protection the deployment shows no violation of %v", c.off, c.wants)
	})
	if name := c.off; c.behind != nil || c.fault != "" {
		t.Run("nothing, but what "+name+" is for", func(t *testing.T) {
			c.off = ""
			c.clean(t, older)
		})
	}
}

// first is the length of the first flight.
func (c sabotage) first() time.Duration {
	if c.circled > 0 {
		return c.circled
	}
	return 3 * time.Second
}

// caught returns a violation that is wanted, or nil.
func (c sabotage) caught(report vulture.Report) *vulture.Violation {
	for _, v := range report.Violations() {
		if slices.Contains(c.wants, v.Kind) {
			return &v
		}
	}
	return nil
}

// clean flies over a deployment of which nothing is switched off.
func (c sabotage) clean(t *testing.T, older *olderCopy) vulture.Report {
	t.Helper()
	report := c.fly(t, older, c.first())
	for _, v := range report.Violations() {
		if v.Kind != vulture.Unfresh { // how fresh answers are depends on the machine
			t.Error(v)
		}
	}
	if report.Certain == 0 || report.Exact == 0 || report.Words == 0 || report.LinedExact == 0 {
		t.Error("the vulture did not look closely")
	}
	return report
}

// restWithin is how long a deployment of which something is switched off may
// take to agree with the files: it may never.
const restWithin = time.Minute

// settle has the vulture look at what is left.
func (c sabotage) settle(t *testing.T, v *vulture.Vulture) error {
	if c.off == "" {
		return v.Settle(t.Context())
	}
	ctx, cancel := context.WithTimeout(t.Context(), restWithin)
	defer cancel()
	if err := v.Settle(ctx); ctx.Err() == nil {
		return err
	}
	return nil
}

// fly has a vulture circle over a deployment, does what is to be done behind
// its back, and has the vulture look at what is left.
func (c sabotage) fly(t *testing.T, older *olderCopy, circled time.Duration) vulture.Report {
	t.Helper()
	root, data, port := folder(t, "prey"), t.TempDir(), freePort(t)
	library(t, root, 20)
	// Several workers for one document, and a repository for the branches.
	config := filepath.Join(t.TempDir(), "freshet.yaml")
	write(t, config, "chunker: {workers: 2}\nembedder: {workers: 2}\nindexer: {workers: 3, batch: 4}\nquery: {channel_deadline: 20s, embed_deadline: 10s}\n")
	repository := folder(t, "branches")
	git(t, repository, "init", "-q")
	env := []string{"FRESHET_SABOTAGE=" + c.off, "FRESHET_FAULT=" + c.fault}
	args := []string{"--config", config, "--data", data, "--nats-port", port, root, repository}
	p := start(t, env, args...)
	if c.behind != nil {
		p.stop()
		older.take(t, data)
		p = start(t, env, args...)
	}

	cfg := vultureConfig(t)
	cfg.Duration, cfg.Writers, cfg.Readers = circled, 3, 4
	cfg.Remote = bus.Remote{URL: login(t, data, p.url)}
	cfg.Source, cfg.Dir = "prey", filepath.Join(root, "vulture")
	cfg.Repository = vulture.Place{Source: "branches", Dir: repository}
	cfg.Interrupted = c.behind != nil
	cfg.Hidden = c.unseen
	cfg.Deadline = 10 * time.Second
	switch {
	case c.fault == lateWorker, c.off == "" && !cfg.Interrupted:
		cfg.Deadline = patient // what a worker holds that hangs, or a busy machine, comes afterwards
	case c.off != "":
		cfg.Deadline = 3 * time.Second // what never comes is not waited for long
	}
	v, err := vulture.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	err = v.Circle(t.Context())
	if c.behind != nil && err == nil {
		p.stop()
		c.behind(t, data)
		start(t, env, args...)
	}
	if !c.unseen || c.off == "" {
		err = errors.Join(err, c.settle(t, v))
	}
	report := v.Report()
	t.Logf("\n%s", report)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
