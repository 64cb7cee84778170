package xlsx

import (
	"math"
	"strconv"
	"time"
)

// date is the day and the time that a number of days stands for.
func date(n float64, from1904 bool) string {
	if n < 0 || n > 2958465.99999 || math.IsNaN(n) { // the last day of the year 9999
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	day := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		day = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	case n < 60:
		day = day.AddDate(0, 0, 1) // the 29th of February 1900, which never was, comes later
	}
	whole := math.Floor(n)
	t := day.AddDate(0, 0, int(whole)).Add(time.Duration(math.Round((n-whole)*86400)) * time.Second)
	switch {
	case n < 1 && !from1904:
		return t.Format("15:04:05")
	case t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0:
		return t.Format("2006-01-02")
	}
	return t.Format("2006-01-02 15:04:05")
}
