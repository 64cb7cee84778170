package door

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestTimeOfALinkOrSessionHasPassed_ItIsRefused(t *testing.T) {
	now := time.Unix(1000, 0)
	secret := bus.NewSecret()
	d := New(secret, nil, nil, time.Minute, time.Hour, func() time.Time { return now })
	link := func() string {
		t.Helper()
		code, _, err := d.Link(contract.RoleAsk)
		if err != nil {
			t.Fatal(err)
		}
		return code
	}
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4723/api/v1/status", nil)
	late := link()
	now = now.Add(time.Minute)
	if _, _, err := d.Open(r, late); err == nil {
		t.Error("a link is good after its time")
	}
	cookie, half, err := d.Open(r, link())
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(cookie)
	r.Header.Set(PageHeader, half)
	if who, err := d.Who(r); err != nil || who.Role != contract.RoleAsk || !who.Page {
		t.Errorf("%+v, %v", who, err)
	}
	// Another process does not know the session, whatever its secret.
	if _, err := New(secret, nil, nil, time.Minute, time.Hour, time.Now).Who(r); err == nil {
		t.Error("a session outlives its process")
	}
	now = now.Add(time.Hour)
	if _, err := d.Who(r); err == nil {
		t.Error("a session is good after its time")
	}
}

func TestSessionThatSomebodyMade_IsRefused(t *testing.T) {
	d := New(bus.NewSecret(), nil, nil, time.Minute, time.Hour, time.Now)
	good := d.seal(contract.RoleAsk)
	for _, s := range []string{"", ".", "admin" + good[len("ask"):], good + "x", good[:len(good)-1], "admin.99999999999.x."} {
		if role, ok := d.opened(s); ok {
			t.Errorf("%q is a session of %s", s, role)
		}
	}
	if _, ok := d.opened(good); !ok {
		t.Error("a session is none")
	}
}
