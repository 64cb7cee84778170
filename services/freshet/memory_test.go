package freshet

import (
	"runtime/debug"
	"testing"
)

// What the user has set in the environment is in force already.
func TestMemoryLimitOfTheEnvironment_IsNotOverridden(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "3GiB")
	if limitMemory(1 << 40); debug.SetMemoryLimit(-1) != before {
		t.Error("limits.memory wins over GOMEMLIMIT")
	}
	t.Setenv("GOMEMLIMIT", "")
	if limitMemory(0); debug.SetMemoryLimit(-1) != before {
		t.Error("without limits.memory a limit is set")
	}
	if limitMemory(1 << 40); debug.SetMemoryLimit(-1) != 1<<40 {
		t.Errorf("the limit is %d", debug.SetMemoryLimit(-1))
	}
}
