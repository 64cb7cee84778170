package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/services/watcher/internal/githook"
)

// HookChange is what was done to one git hook.
type HookChange struct {
	Name string // "post-commit"
	Path string // of the file
	Kept bool   // a hook of somebody else's is in it and runs on
}

// InstallHooks makes a repository announce its changes to freshet: it puts a
// block into the hooks post-receive, post-commit, post-checkout, post-merge and
// post-rewrite, wherever core.hooksPath says that they lie. The block runs
//
//	BINARY git announce --hook NAME --repo DIR ARGS…
//
// binary is the absolute path of the freshet program, args lead it to the
// running instance (for example --data DIR). Hooks that are there run on with
// their input and exit status. Calling it again brings the block up to date.
//
// A hook that cannot take the block (another language, a link, not executable)
// is left as it is; the error, a Conflict, names it and the line to add by
// hand, and the changes list what was installed all the same. Other kinds are
// NotFound for a path in no repository and Unavailable without git.
func InstallHooks(ctx context.Context, repo, binary string, args ...string) ([]HookChange, error) {
	done, err := githook.Install(ctx, repo, append([]string{binary}, args...))
	return hookChanges(done), err
}

// RemoveHooks undoes InstallHooks: hooks get back the bytes that they had, and
// those that it made are deleted.
func RemoveHooks(ctx context.Context, repo string) ([]HookChange, error) {
	done, err := githook.Remove(ctx, repo)
	return hookChanges(done), err
}

// WriteHookLogin keeps the login with which the hooks of a repository announce,
// a URL, where its group can read it: who pushes is often another user. shared
// is false where this user cannot give the file to that group.
func WriteHookLogin(ctx context.Context, repo, login string) (path string, shared bool, err error) {
	return githook.WriteLogin(ctx, repo, login)
}

// ReadHookLogin returns what WriteHookLogin has written, "" where there is none
// or this user may not read it.
func ReadHookLogin(ctx context.Context, repo string) string { return githook.ReadLogin(ctx, repo) }

// RemoveHookLogin undoes WriteHookLogin. path is "" where there was nothing.
func RemoveHookLogin(ctx context.Context, repo string) (path string, err error) {
	return githook.RemoveLogin(ctx, repo)
}

func hookChanges(in []githook.Change) []HookChange {
	out := make([]HookChange, len(in))
	for i, c := range in {
		out[i] = HookChange(c)
	}
	return out
}
