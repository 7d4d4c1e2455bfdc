package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// serve is the subcommand that serves the page. It prints the address once it listens, and ends only
// when it is killed or cannot listen.
func serve(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "the address to listen on; port 0 takes a free one")
	dir := flags.String("dir", "dist", "the folder to serve")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitClean
		}
		return exitUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "reconcile serve: unexpected argument %q\n", flags.Arg(0))
		return exitUsage
	}
	if _, err := os.Stat(filepath.Join(*dir, "index.html")); err != nil {
		fmt.Fprintf(stderr, "reconcile serve: %s holds no page (%v); make dist builds it\n", *dir, err)
		return exitUsage
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		fmt.Fprintf(stderr, "reconcile serve: %v\n", err)
		return exitUsage
	}
	fmt.Fprintf(stdout, "Reconcile Playground: http://%s/\n", listener.Addr())
	server := &http.Server{Handler: newSite(*dir), ReadHeaderTimeout: 10 * time.Second}
	fmt.Fprintf(stderr, "reconcile serve: %v\n", server.Serve(listener))
	return exitUsage
}

// site serves the files of one folder, without listings.
//
// A file that has its gzip form beside it (NAME.gz) is sent in that form to a client that accepts it. An
// address that carries a version (?v=) never changes its content and may be cached for good; everything
// else is asked for again each time.
type site struct {
	dir http.Dir
}

func newSite(dir string) http.Handler {
	return site{http.Dir(dir)}
}

// contentTypes holds what a system's own table may lack or have wrong.
var contentTypes = map[string]string{
	".css":         "text/css; charset=utf-8",
	".gz":          "application/gzip",
	".html":        "text/html; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".svg":         "image/svg+xml",
	".wasm":        "application/wasm",
	".webmanifest": "application/manifest+json",
}

func contentType(name string) string {
	ext := path.Ext(name)
	if known, ok := contentTypes[ext]; ok {
		return known
	}
	if known := mime.TypeByExtension(ext); known != "" {
		return known
	}
	return "application/octet-stream"
}

// ServeHTTP implements [http.Handler]. Methods other than GET and HEAD get 405, what is not a file 404.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	name := path.Clean("/" + r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/") {
		name = path.Join(name, "index.html")
	}
	plain, info, err := s.open(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer plain.Close()
	header.Set("Content-Type", contentType(name))
	header.Set("Cache-Control", "no-cache")
	if r.URL.Query().Has("v") {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	content, modified := io.ReadSeeker(plain), info.ModTime()
	if packed, packedInfo, err := s.open(name + ".gz"); err == nil {
		defer packed.Close()
		header.Set("Vary", "Accept-Encoding")
		if acceptsGzip(r) {
			header.Set("Content-Encoding", "gzip")
			content, modified = packed, packedInfo.ModTime()
		}
	}
	http.ServeContent(w, r, name, modified, content)
}

// open opens the regular file of that name.
func (s site) open(name string) (http.File, os.FileInfo, error) {
	file, err := s.dir.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not a file", name)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// acceptsGzip reports whether the client lists gzip, with a quality other than 0. A range is a range of
// the plain file, so a request for one gets the plain file.
func acceptsGzip(r *http.Request) bool {
	if r.Header.Get("Range") != "" {
		return false
	}
	for _, part := range strings.Split(r.Header.Get("Accept-Encoding"), ",") {
		coding, params, _ := strings.Cut(part, ";")
		if strings.TrimSpace(coding) != "gzip" {
			continue
		}
		weight, given := strings.CutPrefix(strings.TrimSpace(params), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !given || (err == nil && q > 0)
	}
	return false
}
