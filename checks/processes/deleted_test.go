//go:build servers

package processes

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// Somebody deletes an index or a class on the server. Meanwhile the other
// channel answers, and the answer says so.
func TestIndexDeletedByHand_IsMissedAndToldUntilItIsBack(t *testing.T) {
	elastic, weaviate := servers.ElasticURL(t), servers.WeaviateURL(t)
	d := deploy(t, elastic, weaviate, 1)
	for doc := range 60 {
		d.write(name(doc), text(doc, "deleted"+word(doc), 3))
	}
	d.settle()
	token := d.token()
	for sink, remove := range map[document.Sink]func(){
		document.Lexical: func() { d.removeIndices(elastic) },
		document.Vector:  func() { d.removeClasses(weaviate) },
	} {
		remove()
		for degraded := 0; ; {
			rep, err := client.Search.Ask(t.Context(), d.bus.Conn(), contract.SearchRequest{Query: "deleted" + word(5) + " adds numbers", Token: token.String(), Text: contract.TextFull, DeadlineMS: 5000})
			if document.KindOf(err) == document.Deadline {
				continue // a busy machine
			}
			if err != nil {
				t.Fatalf("%s deleted: %v", sink, err)
			}
			if len(rep.Hits) == 0 {
				t.Fatalf("%s deleted: nothing is found, degraded %q, pending %d", sink, rep.Degraded, len(rep.Pending))
			}
			whole := len(rep.Degraded) == 0 && len(rep.Pending) == 0
			for _, sentence := range rep.Degraded {
				// What is pending is searched by the words' weights in the index.
				if !strings.HasPrefix(sentence, string(sink)+": ") && (sink == document.Vector || !strings.HasPrefix(sentence, "pending: ")) {
					t.Fatalf("%s deleted: degraded %q", sink, rep.Degraded)
				}
				if degraded++; degraded == 1 {
					t.Logf("degraded: %s", sentence)
				}
			}
			if whole && rep.Hits[0].Channels[string(sink)].Rank == 0 {
				t.Fatalf("%s deleted: the answer is called whole, and the channel has no part in it", sink)
			}
			if whole {
				break
			}
			d.pause()
		}
		d.settle()
		t.Logf("%s: filled again; log and servers agree on %d passages", sink, d.equal())
	}
}

// removeIndices deletes every index of the deployment.
func (d *deployment) removeIndices(url string) {
	d.t.Helper()
	var indices map[string]any
	d.get(url+"/"+d.cfg.Elasticsearch.Prefix+"*", &indices)
	for index := range indices {
		d.remove(url + "/" + index)
	}
}

// removeClasses deletes every class of the deployment.
func (d *deployment) removeClasses(url string) {
	d.t.Helper()
	var schema struct{ Classes []struct{ Class string } }
	d.get(url+"/v1/schema", &schema)
	for _, c := range schema.Classes {
		if strings.HasPrefix(c.Class, d.cfg.Weaviate.Prefix) {
			d.remove(url + "/v1/schema/" + c.Class)
		}
	}
}

func (d *deployment) get(url string, into any) {
	d.t.Helper()
	if err := d.http(http.MethodGet, url, into); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deployment) remove(url string) {
	d.t.Helper()
	if err := d.http(http.MethodDelete, url, nil); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deployment) http(method, url string, into any) error {
	req, err := http.NewRequestWithContext(d.t.Context(), method, url, nil)
	if err != nil {
		return err
	}
	rep, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = rep.Body.Close() }()
	if rep.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, url, rep.Status)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(rep.Body).Decode(into)
}
