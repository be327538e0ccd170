// A server for the accuracy test: it sorts and encodes for each request, and sleeps and
// computes in other goroutines.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"
)

func deep(n int, words []string) string {
	if n > 0 {
		return deep(n-1, words)
	}
	sort.Strings(words)
	text, _ := json.Marshal(map[string]interface{}{"words": words, "n": len(words)})
	return string(text)
}

func answer(w http.ResponseWriter, r *http.Request) {
	words := strings.Fields(fmt.Sprint(time.Now().UnixNano(), r.Header, "a c b e d"))
	for i := 0; i < 200; i++ {
		words = append(words, fmt.Sprintf("w%d", i*7919%1000))
	}
	fmt.Fprint(w, deep(20, words))
}

func main() {
	go func() {
		for i := 0; ; i++ {
			deep(i%50, strings.Split("z y x w v u t s r q p", " "))
			if i%1000 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	http.HandleFunc("/", answer)
	http.ListenAndServe(os.Args[1], nil)
}
