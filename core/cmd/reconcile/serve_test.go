package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func packed(t *testing.T, text string) string {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestSite(t *testing.T) {
	dir := t.TempDir()
	gz := packed(t, "wasm")
	for name, text := range map[string]string{
		"index.html": "page", "app.wasm": "wasm", "app.wasm.gz": gz, "boot.js": "js", "manifest.webmanifest": "{}",
		filepath.Join("folder", "index.html"): "inner", filepath.Join("folder", "a.svg"): "<svg/>",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path, accept string
		status       int
		body         string
		header       map[string]string
	}{
		{"/", "", 200, "page", map[string]string{"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache", "Content-Encoding": ""}},
		{"/boot.js?v=1", "gzip", 200, "js", map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "public, max-age=31536000, immutable"}},
		{"/app.wasm", "gzip, br", 200, gz, map[string]string{"Content-Type": "application/wasm", "Content-Encoding": "gzip", "Vary": "Accept-Encoding"}},
		{"/app.wasm", "br", 200, "wasm", map[string]string{"Content-Encoding": "", "Vary": "Accept-Encoding"}},
		{"/app.wasm", "gzip;q=0", 200, "wasm", map[string]string{"Content-Encoding": ""}},
		{"/app.wasm", "br, gzip;q=0.5", 200, gz, map[string]string{"Content-Encoding": "gzip"}},
		{"/app.wasm.gz", "gzip", 200, gz, map[string]string{"Content-Type": "application/gzip", "Content-Encoding": ""}},
		{"/manifest.webmanifest", "", 200, "{}", map[string]string{"Content-Type": "application/manifest+json"}},
		{"/folder/", "", 200, "inner", nil},
		{"/folder/a.svg", "", 200, "<svg/>", map[string]string{"Content-Type": "image/svg+xml"}},
		{"/folder", "", 404, "", nil},
		{"/missing", "", 404, "", nil},
		{"/../outside", "", 404, "", nil},
	}
	handler := newSite(dir)
	for _, test := range tests {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		path, query, _ := strings.Cut(test.path, "?")
		request.URL.Path, request.URL.RawQuery = path, query
		if test.accept != "" {
			request.Header.Set("Accept-Encoding", test.accept)
		}
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		if response.Code != test.status {
			t.Errorf("%s (%s): status %d, want %d", test.path, test.accept, response.Code, test.status)
		}
		if test.status == 200 && response.Body.String() != test.body {
			t.Errorf("%s (%s): body %q, want %q", test.path, test.accept, response.Body, test.body)
		}
		for name, value := range test.header {
			if got := response.Header().Get(name); got != value {
				t.Errorf("%s (%s): %s is %q, want %q", test.path, test.accept, name, got, value)
			}
		}
	}
}

func TestSiteRefusesToBeWritten(t *testing.T) {
	response := httptest.NewRecorder()
	newSite(t.TempDir()).ServeHTTP(response, httptest.NewRequest(http.MethodPut, "/", nil))
	if response.Code != http.StatusMethodNotAllowed {
		t.Errorf("status %d, want 405", response.Code)
	}
}

func TestServeSaysWhatIsWrong(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--dir", t.TempDir()}, "make dist builds it"},
		{[]string{"serve", "--nonsense"}, "-nonsense"},
		{[]string{"serve", "extra"}, `unexpected argument "extra"`},
	} {
		var stdout, stderr bytes.Buffer
		if code := dispatch(test.args, strings.NewReader(""), &stdout, &stderr); code != exitUsage {
			t.Errorf("%v: exit status %d, want %d", test.args, code, exitUsage)
		}
		if !strings.Contains(stderr.String(), test.want) {
			t.Errorf("%v: stderr is %q, want %q in it", test.args, stderr.String(), test.want)
		}
	}
}
