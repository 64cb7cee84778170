package split

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkLargeDocuments says how long a large content of many parts takes, and the most
// memory of the process meanwhile beyond the content, which the chunker has anyway.
func BenchmarkLargeDocuments(b *testing.B) {
	const size = 20 << 20
	record := `{"id": "v-1000", "at": "2024-05-01", "who": {"kind": "heron", "count": 1}, "remarks": "stood in the shallow water"}`
	entry := "- id: v-1000\n  at: 2024-05-01\n  who:\n    kind: heron\n    count: 1\n  remarks: stood in the shallow water\n"
	of := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for _, c := range []struct{ name, lang, content string }{
		{"JSON of 20 MiB", "json", "{\"visits\": [\n" + of(record+",\n") + "{}]}\n"},
		{"JSON lines of 20 MiB", "json", of(record + "\n")},
		{"YAML of 20 MiB", "yaml", of(entry)},
		{"JSON of 20 MiB of numbers on lines", "json", "[" + of("1,\n") + "1]"},
	} {
		content := []byte(c.content)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(content)))
			n := 0
			for b.Loop() {
				n = len(Split(c.lang, content, Options{}))
			}
			b.StopTimer()
			debug.FreeOSMemory()
			if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err == nil { // the peak begins anew
				before := resident(b)
				runtime.KeepAlive(Split(c.lang, content, Options{}))
				b.ReportMetric(float64(resident(b)-before)/1024, "MB-beside")
			}
			b.ReportMetric(float64(n), "passages")
		})
	}
}

// resident is the most resident memory of this process, in KiB.
func resident(b *testing.B) int {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		b.Fatal(err)
	}
	return n
}
