package cli_test

import (
	"path/filepath"
	"testing"
)

// What an error of a service, of the log or of the state leaves to the front end
// is said whole: these commands stood in the sentences themselves once.
func TestNextStepOfAnError_IsSaid(t *testing.T) {
	t.Parallel()
	folder, none := tree(t, small), filepath.Join(t.TempDir(), "none.yaml")
	outside := tree(t, small)
	i := start(t, filepath.Join(t.TempDir(), "s"), folder)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"search", "x", "--data", none}, "no freshet runs on " + none + "; start freshet with `freshet up PATH`, choose the state folder with `--data DIR`, or choose the server with `--nats URL`\n"},
		{[]string{"config", "check", none}, "there is no configuration file " + none + "; write one with `freshet config print > " + none + "`, or leave `--config` out\n"},
		{[]string{"up", "--data", i.data, "--nats-port", "0"}, "; add a folder to the running one with `freshet source add PATH --data " + i.data + "`, or choose the state folder with `--data DIR`\n"},
		{[]string{"token", outside, "--data", i.data}, "no watched source holds " + outside + "; watch it with `freshet source add PATH`\n"},
		{[]string{"put", "tickets", "a.md", filepath.Join(folder, "parse.go"), "--data", i.data}, "there is no source \"tickets\"; add it with `freshet source add --api tickets`\n"},
		{[]string{"search", "heron", "--token", "1.999", "--data", i.data}, "; take a new one with `freshet token`\n"},
		{[]string{"verify", "--source", "nobody", "--data", i.data}, "there is no source \"nobody\"; see `freshet source list`\n"},
	} {
		refuse(t, program(t, c.args...), c.says)
	}
	i.stop()
}
