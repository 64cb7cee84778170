package confidence

import (
	"math"
	"testing"
)

func TestKindWithoutAModelOfItsOwn_IsStatedByThatOfAll(t *testing.T) {
	c, err := Parse([]byte(`{"answer":{"bias":0,"weights":[{"name":"a","by":1}]},"hit":{"bias":0,"weights":[{"name":"a","by":1}]},"passage":{"weights":[{"name":"a","by":1}]},"low":0.2,
		"kinds":{"name":{"answer":{"bias":3,"weights":[{"name":"a","by":1}]},"hit":{"bias":2,"weights":[{"name":"a","by":1}]},"low":0.4}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		got, want float64
	}{
		"a name's answer":  {c.OfAnswer(map[string]float64{Symbol: 1}), Logistic(3)},
		"a name's hit":     {c.OfHit(map[string]float64{AsNamed: 1}), Logistic(2)},
		"a sentence":       {c.OfAnswer(map[string]float64{"a": 1}), Logistic(1)},
		"text without one": {c.OfHit(map[string]float64{AsTyped: 1}), Logistic(0)},
		"a name's limit":   {c.LowOf(map[string]float64{Symbol: 1}), .4},
		"another limit":    {c.LowOf(map[string]float64{"a": 1}), .2},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

func TestKindOfQuestion_IsToldByTheEvidence(t *testing.T) {
	for want, evidence := range map[string]map[string]float64{
		Text: {AsTyped: 1}, Name: {AsTyped: 1, AsNamed: 1}, File: {Path: 1, InProse: 1}, Sentence: nil,
		Issue: {Report: 1, InProse: 1}, Prose: {InProse: 1},
	} {
		if got := KindOf(evidence); got != want {
			t.Errorf("%v: %s, want %s", evidence, got, want)
		}
	}
}
