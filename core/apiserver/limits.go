package apiserver

import (
	"bytes"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// The largest message that the API server's client sends to etcd, and the largest
// request that etcd takes, in bytes; raftHeader is what etcd adds to a request
// before it looks. An object that cannot be longer than farFromFull is not encoded
// to see how long it is.
const (
	maxMessage  = 2 << 20
	maxRequest  = 1536 << 10
	raftHeader  = 14
	farFromFull = 1 << 20
)

// fit returns what is stored of a custom resource that is written: without
// managedFields, where etcd takes it only so, and with an error, where it does not take
// it at all. existing is what is stored before, zero for a create. A dry run sends etcd
// nothing.
func (s *Server) fit(k *kind, key string, o, existing object.Object) (object.Object, error) {
	if s.dry {
		return o, nil
	}
	status := k.checkSize(key, o, existing)
	if status == nil {
		return o, nil
	}
	if s.whole {
		return o, status
	}
	o = unsetMeta(o, "managedFields")
	if status := k.checkSize(key, o, existing); status != nil {
		return o, status
	}
	return o, nil
}

// checkSize models the sizes of etcd's TxnRequest and InternalRaftRequest.
func (k *kind) checkSize(key string, o, existing object.Object) *api.Status {
	if !k.Custom || roomAfter(o.Root(), farFromFull) >= 0 || unchanged(o, existing) {
		return nil
	}
	kept := object.EncodeJSON(unsetMeta(o, "resourceVersion").Root())
	// The real server escapes what could end a script in HTML, and ends with a new line.
	value := len(kept) + 5*(bytes.Count(kept, []byte("<"))+bytes.Count(kept, []byte(">"))+bytes.Count(kept, []byte("&"))) + 1
	revision, _ := strconv.Atoi(existing.ResourceVersion())
	put := inMessage(len(key)) + inMessage(value)
	message := inMessage(2+inMessage(len(key))+1+varint(revision)) + inMessage(inMessage(put))
	if !existing.IsZero() {
		// Where the object has changed since, it wants to see it.
		message += inMessage(inMessage(inMessage(len(key))))
	}
	switch {
	case message > maxMessage:
		return plainError(fmt.Sprintf("rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. %d)", message, maxMessage))
	case inMessage(message)+raftHeader > maxRequest:
		return plainError("etcdserver: request is too large")
	}
	return nil
}

// unchanged reports whether nothing is written, so that nothing is sent.
func unchanged(o, existing object.Object) bool {
	return !existing.IsZero() && setMeta(o, "resourceVersion", existing.ResourceVersion()).Equal(existing)
}

// inMessage is the size of a field of n bytes in a message of protobuf, and varint
// that of a number.
func inMessage(n int) int { return 1 + varint(n) + n }

func varint(n int) int { return (bits.Len(uint(n)|1) + 6) / 7 }

// roomAfter is at most what is left of room bytes after a value as JSON. It looks no
// further where there is none.
func roomAfter(v any, room int) int {
	// A character of a string is at most six, a number at most 25, both with a comma.
	switch v := v.(type) {
	case string:
		return room - 6*len(v) - 3
	case *object.Map:
		room -= 3
		for i := 0; i < v.Len() && room >= 0; i++ {
			f := v.Field(i)
			room = roomAfter(f.Value, room-6*len(f.Key)-3)
		}
		return room
	case *object.List:
		room -= 3
		for i := 0; i < v.Len() && room >= 0; i++ {
			room = roomAfter(v.At(i), room)
		}
		return room
	}
	return room - 26
}
