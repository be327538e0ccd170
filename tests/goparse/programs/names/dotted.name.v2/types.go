// Package types has dots in the last part of its path; symbols spell them %2e.
package types

type Keeper struct{ Hold chan int }

func (k *Keeper) Keep() { <-k.Hold }
func (k Keeper) Wait()  { <-k.Hold }
func (k *Keeper) Start() {
	go k.Keep()
	go func() { k.Wait() }()
}

type Tree[K comparable, V any] struct {
	Key   K
	Value V
	Hold  chan int
}

//go:noinline
func (t *Tree[K, V]) Walk(f func(K, V)) { f(t.Key, t.Value); <-t.Hold }

//go:noinline
func (t *Tree[K, V]) Start(f func(K, V)) {
	go t.Walk(f)
	go func() { t.Walk(f) }()
}

//go:noinline
func Each[T any](all []T, f func(T)) {
	for _, v := range all {
		go func(v T) { f(v) }(v)
	}
}
