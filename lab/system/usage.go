package system

import (
	"sync"
	"time"
)

// Use is what one process has used.
type Use struct {
	Name string // of the program; children have "child " in front
	// Peak is the highest resident size that the system noted, in bytes.
	Peak uint64
	// Anonymous and File are the parts of the resident size that belong to
	// the process alone and that map files, in bytes.
	Anonymous, File uint64
	CPU             time.Duration
}

// resident is the size of the moment.
func (u Use) resident() uint64 { return u.Anonymous + u.File }

// Usage is what a process and its children have used.
type Usage struct {
	// Peak is the highest sum, over the processes alive at one moment, of
	// their own peaks so far, in bytes: never too low.
	Peak uint64
	// Together is the highest sum of resident sizes seen in one sample. It
	// misses what comes and goes between two samples.
	Together uint64
	// Processes lists every process seen, the first one first, with Anonymous
	// and File of the sample in which it was largest, and its processor time
	// up to its last sample.
	Processes []Use
}

// samplePeriod is short enough to see a child that lives for a second. The
// peak itself is noted by the system, not by the sample.
const samplePeriod = 100 * time.Millisecond

// sampler looks at a process tree until stop.
type sampler struct {
	root int
	done chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	peak     uint64
	together uint64
	order    []int
	seen     map[int]Use
}

func startSampler(root int) *sampler {
	s := &sampler{root: root, done: make(chan struct{}), seen: map[int]Use{}}
	s.wg.Go(func() {
		tick := time.NewTicker(samplePeriod)
		defer tick.Stop()
		for {
			s.sample()
			select {
			case <-tick.C:
			case <-s.done:
				return
			}
		}
	})
	return s
}

func (s *sampler) stop() {
	close(s.done)
	s.wg.Wait()
}

func (s *sampler) sample() {
	ids := processTree(s.root)
	s.mu.Lock()
	defer s.mu.Unlock()
	var peaks, together uint64
	for _, pid := range ids {
		u, ok := inspect(pid)
		if !ok {
			continue
		}
		peaks += u.Peak
		together += u.resident()
		if pid != s.root {
			u.Name = "child " + u.Name
		}
		before, known := s.seen[pid]
		if !known {
			s.order = append(s.order, pid)
		}
		if before.resident() > u.resident() {
			u.Anonymous, u.File = before.Anonymous, before.File
		}
		s.seen[pid] = u
	}
	s.peak, s.together = max(s.peak, peaks), max(s.together, together)
}

func (s *sampler) usage() Usage {
	s.sample()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Usage{Peak: s.peak, Together: s.together}
	for _, pid := range s.order {
		out.Processes = append(out.Processes, s.seen[pid])
	}
	return out
}

// descendants returns root and everything below it, parents first, given each
// process's parent.
func descendants(root int, parent map[int]int) []int {
	out := []int{root}
	for i := 0; i < len(out); i++ {
		for pid, up := range parent {
			if up == out[i] && pid != root {
				out = append(out, pid)
			}
		}
	}
	return out
}
