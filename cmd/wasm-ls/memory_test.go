package main

import "testing"

func TestGCPercent(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 1500}, {4 << 20, 1500}, {32 << 20, 100}, {48 << 20, 50}, {96 << 20, 50}, {1 << 30, 50}} {
		if got := gcPercent(c.live); got != c.want {
			t.Errorf("gcPercent(%d MiB) = %d, want %d", c.live>>20, got, c.want)
		}
	}
}

func TestSoftLimit(t *testing.T) {
	for _, c := range []struct{ live, want int64 }{{0, 192}, {60, 192}, {100, 250}, {1000, 2500}} {
		if got := softLimit(uint64(c.live) << 20); got != c.want<<20 {
			t.Errorf("softLimit(%d MiB) = %d MiB, want %d", c.live, got>>20, c.want)
		}
	}
}
