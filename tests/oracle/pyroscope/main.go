// Sends a profile like Pyroscope's own client for Go:
//
//	pyroscope URL KIND FILE NAME START END RATE
//
// KIND is the kind of profile; the parameters of each kind are in the client's session.go,
// collector.go and sample_types.go.
//
//	pyroscope form CONTENT_TYPE
//
// reads a form from the standard input like Pyroscope's server, with Go's library
// (pkg/og/convert/pprof/profile.go), and prints a line for each file in it: its field and
// name, its length, its hash.
package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"
	"strconv"
	"time"

	"github.com/grafana/pyroscope-go/upstream"
	"github.com/grafana/pyroscope-go/upstream/remote"
)

type quiet struct{}

func (quiet) Infof(string, ...interface{})  {}
func (quiet) Debugf(string, ...interface{}) {}
func (quiet) Errorf(format string, values ...interface{}) {
	fmt.Fprintf(os.Stderr, format+"\n", values...)
	os.Exit(1)
}

func locks(name string) map[string]*upstream.SampleType {
	return map[string]*upstream.SampleType{
		"contentions": {DisplayName: name + "_count", Units: "lock_samples"},
		"delay":       {DisplayName: name + "_duration", Units: "lock_nanoseconds"},
	}
}

var configs = map[string]map[string]*upstream.SampleType{
	"heap": {
		"alloc_objects": {Units: "objects"},
		"alloc_space":   {Units: "bytes"},
		"inuse_space":   {Units: "bytes", Aggregation: "average"},
		"inuse_objects": {Units: "objects", Aggregation: "average"},
	},
	"mutex":     locks("mutex"),
	"block":     locks("block"),
	"goroutine": {"goroutine": {DisplayName: "goroutines", Units: "goroutines", Aggregation: "average"}},
}

func moment(text string) time.Time {
	ns, err := strconv.ParseInt(text, 10, 64)
	must(err)
	return time.Unix(0, ns)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func readForm(contentType string) {
	kind, params, err := mime.ParseMediaType(contentType)
	must(err)
	if kind != "multipart/form-data" {
		panic(kind)
	}
	form, err := multipart.NewReader(os.Stdin, params["boundary"]).ReadForm(32 << 20)
	must(err)
	for field, files := range form.File {
		for _, header := range files {
			file, err := header.Open()
			must(err)
			data, err := io.ReadAll(file)
			must(err)
			fmt.Printf("%s %s %d %x\n", field, header.Filename, len(data), sha256.Sum256(data))
		}
	}
	if len(form.Value) > 0 {
		panic("values that are no files")
	}
}

func main() {
	if os.Args[1] == "form" {
		readForm(os.Args[2])
		return
	}
	data, err := os.ReadFile(os.Args[3])
	must(err)
	rate, _ := strconv.Atoi(os.Args[7])
	job := &upstream.UploadJob{
		Name: os.Args[4], StartTime: moment(os.Args[5]), EndTime: moment(os.Args[6]),
		SpyName: "gospy", Format: upstream.FormatPprof, Profile: data,
		SampleTypeConfig: configs[os.Args[2]],
	}
	switch os.Args[2] {
	case "cpu":
		job.SampleRate, job.Units, job.AggregationType = uint32(rate), "samples", "sum"
	case "goroutine":
		job.Units, job.AggregationType = "goroutines", "average"
	}
	r, err := remote.NewRemote(remote.Config{Address: os.Args[1], Threads: 1,
		Timeout: 10 * time.Second, Logger: quiet{}})
	must(err)
	r.Start()
	r.Upload(job)
	r.Flush()
	r.Stop()
}
