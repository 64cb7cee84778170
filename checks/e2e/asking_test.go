package e2e

import (
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
)

// asking is people who ask and edit while something else happens: each file is found by
// its word, and an edit by the word that it has brought.
type asking struct {
	r    *rig
	wg   sync.WaitGroup
	over chan struct{} // closed at the end
	each chan struct{} // is told each round of anybody
	fell chan struct{} // closed when one of them has ended before, since the test has failed
	once sync.Once
}

// goes has somebody ask.
func (a *asking) goes(ask func()) {
	a.wg.Go(func() {
		defer func() {
			select {
			case <-a.over:
			default:
				a.once.Do(func() { close(a.fell) })
			}
		}()
		ask()
	})
}

// askEdit begins to ask for, and to edit, what words made.
func askEdit(r *rig, dir string, n int) *asking {
	a := &asking{r: r, over: make(chan struct{}), each: make(chan struct{}), fell: make(chan struct{})}
	source := filepath.Base(dir)
	a.goes(func() {
		for i := n / 2; !a.ended(); i++ { // what nobody edits
			a.finds("Zebra" + strconv.Itoa(n/2+i%(n/2)) + "x")
		}
	})
	a.goes(func() {
		for i := 0; !a.ended(); i++ {
			file := "f" + strconv.Itoa(i%(n/2)) + ".go"
			word := fmt.Sprintf("Giraffe%dy", i)
			write(r.t, filepath.Join(dir, file), goFile(word))
			token := r.look(filepath.Join(dir, file)).String()
			r.shows(token, word, source+"/"+file)
			if before := fmt.Sprintf("Giraffe%dy", i-n/2); i >= n/2 {
				r.shows(token, before, "")
			}
		}
	})
	return a
}

// askEditAll asks for what notes made, too.
func askEditAll(r *rig, dir string, n int) *asking {
	a := askEdit(r, dir, n)
	a.goes(func() {
		for i := 0; !a.ended(); i++ {
			a.finds("Okapi" + strconv.Itoa(i%n) + "z")
		}
	})
	return a
}

func (a *asking) finds(word string) {
	if len(found(a.r.find(word, ""), word)) == 0 {
		a.r.t.Errorf("%s is not found", word)
	}
}

// ended tells that a round begins, unless it is over.
func (a *asking) ended() bool {
	select {
	case <-a.over:
		return true
	case a.each <- struct{}{}:
		return false
	}
}

// round waits for the next round.
func (a *asking) round() {
	select {
	case <-a.each:
	case <-a.fell:
		a.r.t.FailNow() // who asks has said why
	}
}

func (a *asking) rounds(n int) {
	for range n {
		a.round()
	}
}

// during does something while they ask.
func (a *asking) during(do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		select {
		case <-done:
			return
		case <-a.each:
		case <-a.fell:
			a.r.t.FailNow()
		}
	}
}

// end has everybody finish their round.
func (a *asking) end() {
	close(a.over)
	a.wg.Wait()
}
