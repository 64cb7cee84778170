package scan

import "testing"

func TestUnknownFileSystem_IsNotTrusted(t *testing.T) {
	if keepsTimes("/proc/self/status") || keepsTimes("/nowhere") {
		t.Error("its times are relied on")
	}
	for _, network := range []uint32{0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x4d44} {
		if keeping[network] {
			t.Errorf("the times of %#x are relied on", network)
		}
	}
}
