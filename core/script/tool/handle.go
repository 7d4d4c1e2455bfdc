package tool

import (
	"io"
	"io/fs"
	"slices"
	"time"
)

// handle is an open file. It goes on to work after the file has lost its name.
type handle struct {
	tree   *Tree
	name   string
	node   *node
	flag   int
	offset int
	closed bool
}

// current finds the node again that a snapshot may have had copied.
func (h *handle) current() *node {
	if h.node.owner != h.tree.owner {
		if n, ok := h.tree.nodes.Get(h.name); ok && !n.mode.IsDir() {
			h.node = n
		}
	}
	return h.node
}

func (h *handle) Read(b []byte) (int, error) {
	n := h.current()
	switch {
	case h.closed:
		return 0, fail("read", h.name, errClosed)
	case n.mode.IsDir():
		return 0, fail("read", h.name, errIsDir)
	case h.flag&WriteOnly != 0:
		return 0, fail("read", h.name, errBad)
	case h.offset >= len(n.data):
		return 0, io.EOF
	}
	count := copy(b, n.data[h.offset:])
	h.offset += count
	return count, nil
}

func (h *handle) Write(b []byte) (int, error) {
	switch {
	case h.closed:
		return 0, fail("write", h.name, errClosed)
	case h.flag&(WriteOnly|ReadWrite) == 0:
		return 0, fail("write", h.name, errBad)
	}
	n := h.tree.own(h.name, h.current())
	h.node = n
	if h.flag&Append != 0 {
		h.offset = len(n.data)
	}
	end := h.offset + len(b)
	if grows := end - len(n.data); grows > 0 {
		if end > MaxBytes || h.tree.bytes+grows > MaxBytes {
			return 0, fail("write", h.name, ErrFull)
		}
		if there, ok := h.tree.nodes.Get(h.name); ok && there == n {
			h.tree.bytes += grows
		}
	}
	if h.offset < len(n.data) { // a snapshot or a reader may hold those bytes
		n.data = slices.Clone(n.data)
	}
	if end > len(n.data) {
		if gap := h.offset - len(n.data); gap > 0 {
			n.data = append(n.data, make([]byte, gap)...)
		}
		n.data = append(n.data[:h.offset], b...)
	} else {
		copy(n.data[h.offset:], b)
	}
	h.offset, n.mtime = end, h.tree.now()
	return len(b), nil
}

func (h *handle) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += int64(h.offset)
	case io.SeekEnd:
		offset += int64(len(h.current().data))
	}
	if offset < 0 || offset > MaxBytes {
		return 0, fail("seek", h.name, errInvalid)
	}
	h.offset = int(offset)
	return offset, nil
}

func (h *handle) Close() error {
	h.closed = true
	return nil
}

func (h *handle) Stat() (fs.FileInfo, error) { return h.current().info(h.name), nil }

const nullDevice = "/dev/null"

// null is the file that is empty and takes everything.
type null struct{ now time.Time }

func (null) Read([]byte) (int, error)       { return 0, io.EOF }
func (null) Write(b []byte) (int, error)    { return len(b), nil }
func (null) Seek(int64, int) (int64, error) { return 0, nil }
func (null) Close() error                   { return nil }
func (n null) Stat() (fs.FileInfo, error) {
	return info{"null", 0, fs.ModeDevice | fs.ModeCharDevice | 0o666, n.now}, nil
}
