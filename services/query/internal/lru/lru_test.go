package lru

import "testing"

func TestFullCache_KeepsToItsLimit(t *testing.T) {
	c := New[int, string](100)
	for i := range 50 {
		c.Put(i, "x", 10)
	}
	if got := c.Used(); got != 100 {
		t.Fatalf("cost %d is kept, want 100", got)
	}
	if _, ok := c.Get(39); ok {
		t.Fatal("the eleventh last value is still there")
	}
	if _, ok := c.Get(40); !ok {
		t.Fatal("the tenth last value is gone")
	}
}

func TestUsedValue_OutlivesAnUnusedOne(t *testing.T) {
	c := New[string, int](40)
	c.Put("a", 1, 10)
	c.Put("b", 2, 10)
	c.Put("c", 3, 10)
	c.Put("d", 4, 10)
	c.Get("a")
	c.Put("e", 5, 10)
	if _, ok := c.Get("a"); !ok {
		t.Fatal("the value that was just used is gone")
	}
	if _, ok := c.Get("b"); ok {
		t.Fatal("the value that was not used for longest is still there")
	}
}

func TestCostOfAReplacedValue_CountsOnce(t *testing.T) {
	c := New[string, int](100)
	c.Put("a", 1, 10)
	c.Put("a", 2, 20)
	if got := c.Used(); got != 20 {
		t.Fatalf("cost %d, want 20", got)
	}
	if v, _ := c.Get("a"); v != 2 {
		t.Fatalf("value %d, want the newer one", v)
	}
}

func TestHugeValue_DrivesOutNothing(t *testing.T) {
	c := New[string, int](100)
	c.Put("a", 1, 10)
	c.Put("huge", 2, 90)
	if _, ok := c.Get("a"); !ok {
		t.Fatal("a value of nearly the whole limit drove out the rest")
	}
}

func TestHugeValue_IsKeptBesideTheOthers(t *testing.T) {
	c := New[string, int](100)
	c.Put("huge", 1, 500)
	for i := range 50 {
		c.Put(string(rune('a'+i)), i, 10)
	}
	if v, kept := c.Get("huge"); !kept || v != 1 {
		t.Fatal("a value above the limit is not kept beside the others")
	}
	c.Put("larger", 2, 600)
	if _, kept := c.Get("huge"); kept {
		t.Fatal("two values above the limit are kept")
	}
	if got := c.Used(); got != 700 {
		t.Fatalf("cost %d, want that of ten small values and the last large one, 700", got)
	}
}
