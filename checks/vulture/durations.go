package vulture

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// durations keeps how long things took, to three digits, in the same memory
// for any number of them. The zero value is empty.
type durations struct{ h *hdrhistogram.Histogram }

// longest is what durations can tell apart.
const longest = time.Hour

func (d *durations) add(took time.Duration) {
	if d.h == nil {
		d.h = hdrhistogram.New(1, int64(longest/time.Microsecond), 3)
	}
	// Within the bounds it does not fail.
	_ = d.h.RecordValue(int64(min(max(took, time.Microsecond), longest) / time.Microsecond))
}

func (d *durations) quantiles() Quantiles {
	if d.h == nil {
		return Quantiles{}
	}
	at := func(percent float64) time.Duration {
		return time.Duration(d.h.ValueAtQuantile(percent)) * time.Microsecond
	}
	return Quantiles{P50: at(50), P99: at(99), Max: at(100)}
}

// Quantiles of a duration.
type Quantiles struct{ P50, P99, Max time.Duration }

// String returns them rounded to a tenth of a millisecond.
func (q Quantiles) String() string {
	const to = time.Millisecond / 10
	return fmt.Sprintf("p50 %s, p99 %s, max %s", q.P50.Round(to), q.P99.Round(to), q.Max.Round(to))
}

// MarshalJSON returns them in milliseconds.
func (q Quantiles) MarshalJSON() ([]byte, error) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return json.Marshal(struct {
		P50 float64 `json:"p50_ms"`
		P99 float64 `json:"p99_ms"`
		Max float64 `json:"max_ms"`
	}{ms(q.P50), ms(q.P99), ms(q.Max)})
}
