package tune

import (
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/config"
)

// knob is one weight that is turned.
type knob struct {
	key      string // "stem"
	index    int    // of the field
	min, max float64
}

// knobs are all weights that are numbers.
func knobs() []knob {
	var out []knob
	typ := reflect.TypeFor[config.Ranking]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Type.Kind() != reflect.Float64 {
			continue
		}
		k := knob{key: f.Tag.Get("yaml"), index: i, max: math.Inf(1)}
		if v, err := strconv.ParseFloat(f.Tag.Get("min"), 64); err == nil {
			k.min = v
		}
		if v, err := strconv.ParseFloat(f.Tag.Get("max"), 64); err == nil {
			k.max = v
		}
		out = append(out, k)
	}
	return out
}

func (k knob) get(w *config.Ranking) float64 {
	return reflect.ValueOf(w).Elem().Field(k.index).Float()
}

func (k knob) set(w *config.Ranking, value float64) {
	reflect.ValueOf(w).Elem().Field(k.index).SetFloat(value)
}

// neutral is the value that switches the weight off.
func (k knob) neutral() float64 {
	if k.key == "saturation" || strings.HasPrefix(k.key, "penalty_") && k.key != "penalty_power" {
		return 1
	}
	return k.min
}

// factors are the steps that are tried: the optimum is wide, finer ones would
// follow single tasks.
var factors = []float64{.5, .7, .85, 1.2, 1.5, 2}

// tries are the values to try beside one, each once.
func (k knob) tries(now float64) []float64 {
	var out []float64
	add := func(v float64) {
		v = math.Round(min(max(v, k.min), k.max)*100) / 100
		if v != now && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for _, f := range factors {
		if now == 0 {
			add(f / 4)
			continue
		}
		add(now * f)
	}
	add(k.neutral())
	return out
}
