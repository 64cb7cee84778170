// Command freshet-vectors embeds texts with a model that freshet runs itself, on one
// thread, and writes the vectors; or says where the archive of a model is. See `make
// vectors`.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	"github.com/freshet-dev/freshet/pkg/embed/transformer"
)

func main() {
	model := flag.String("model", "", "folder of the model")
	texts := flag.String("texts", "", "file with a JSON list of texts")
	out := flag.String("out", "", "file that gets the vectors, as float32, little-endian")
	url := flag.String("url", "", "name of a model whose archive is to be named")
	flag.Parse()
	if *url != "" {
		m, err := transformer.Find(*url)
		if err != nil {
			fmt.Fprintln(os.Stderr, "freshet-vectors:", err)
			os.Exit(2)
		}
		fmt.Println(m.URL)
		return
	}
	if err := run(*model, *texts, *out); err != nil {
		fmt.Fprintln(os.Stderr, "freshet-vectors:", err)
		os.Exit(2)
	}
}

func run(model, file, out string) error {
	runtime.GOMAXPROCS(1)
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var texts []string
	if err := json.Unmarshal(b, &texts); err != nil {
		return err
	}
	e, err := transformer.Open(model)
	if err != nil {
		return err
	}
	if _, err := e.EmbedQuery(context.Background(), "warm"); err != nil {
		return err
	}
	start := time.Now()
	vectors, errs := e.EmbedDocuments(context.Background(), texts)
	took := time.Since(start)
	var raw []byte
	for i, v := range vectors {
		if errs[i] != nil {
			return errs[i]
		}
		for _, x := range v.Data {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(x)*v.Scale))
		}
	}
	if err := os.WriteFile(out, raw, 0o600); err != nil {
		return err
	}
	js, err := json.Marshal(map[string]any{"seconds": took.Seconds(), "dims": e.Dims()})
	if err == nil {
		_, err = fmt.Println(string(js))
	}
	return err
}
