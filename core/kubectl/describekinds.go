package kubectl

import (
	"encoding/base64"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// describers are those of built-in kinds.
var describers = map[string]describer{
	"configmap": describeConfigMap, "secret": describeSecret, "namespace": describeNamespace, "service": describeService,
}

func describeConfigMap(d *describing, w *page, o object.Object) error {
	w.head(o, true)
	w.line(0, "\nData\n====\n")
	for k, v := range o.Map("data").All() {
		w.line(0, "%s:\n----\n", k)
		w.line(0, "%s\n", v)
		w.line(0, "\n")
	}
	w.line(0, "\nBinaryData\n====\n")
	for k, v := range o.Map("binaryData").All() {
		w.line(0, "%s: %d bytes\n", k, decodedSize(v))
	}
	w.line(0, "\n")
	return d.eventsOf(w, o)
}

func decodedSize(v any) int {
	text, _ := v.(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return len(text)
	}
	return len(data)
}

func describeSecret(_ *describing, w *page, o object.Object) error {
	w.head(o, true)
	w.line(0, "\nType:\t%s\n", o.Str("type"))
	w.line(0, "\nData\n====\n")
	for k, v := range o.Map("data").All() {
		w.line(0, "%s:\t%d bytes\n", k, decodedSize(v))
	}
	return nil
}

func describeNamespace(_ *describing, w *page, o object.Object) error {
	w.head(o, false)
	w.line(0, "Status:\t%s\n", o.Str("status", "phase"))
	if list := o.List("status", "conditions"); list.Len() > 0 {
		w.line(0, "Conditions:\n")
		w.line(1, "Type\tStatus\tLastTransitionTime\tReason\tMessage\n")
		w.line(1, "----\t------\t------------------\t------\t-------\n")
		for _, v := range list.All() {
			m, _ := v.(*object.Map)
			c := object.New(m)
			t, _ := time.Parse(time.RFC3339, c.Str("lastTransitionTime"))
			w.line(1, "%s\t%s\t%s\t%s\t%s\n", c.Str("type"), c.Str("status"), t.Format(time.RFC1123Z), c.Str("reason"), c.Str("message"))
		}
	}
	// There are no quotas and no limit ranges here.
	w.line(0, "\nNo resource quota.\n")
	w.line(0, "\nNo LimitRange resource.\n")
	return nil
}

func describeService(d *describing, w *page, o object.Object) error {
	spec := object.New(o.Map("spec"))
	w.head(o, true)
	w.line(0, "Selector:\t%s\n", formatLabels(spec.Map("selector")))
	w.line(0, "Type:\t%s\n", spec.Str("type"))
	if policy := spec.Str("ipFamilyPolicy"); policy != "" {
		w.line(0, "IP Family Policy:\t%s\n", policy)
	}
	w.line(0, "IP Families:\t%s\n", joined(spec.List("ipFamilies")))
	w.line(0, "IP:\t%s\n", spec.Str("clusterIP"))
	w.line(0, "IPs:\t%s\n", joined(spec.List("clusterIPs")))
	optional := func(label string, v string) {
		if v != "" {
			w.line(0, "%s:\t%s\n", label, v)
		}
	}
	if l := spec.List("externalIPs"); l.Len() > 0 {
		optional("External IPs", joined(l))
	}
	optional("Desired LoadBalancer IP", spec.Str("loadBalancerIP"))
	optional("External Name", spec.Str("externalName"))
	optional("LoadBalancer Ingress", ingress(o.List("status", "loadBalancer", "ingress")))
	for _, v := range spec.List("ports").All() {
		m, _ := v.(*object.Map)
		servicePortLines(w, object.New(m))
	}
	w.line(0, "Session Affinity:\t%s\n", spec.Str("sessionAffinity"))
	optional("External Traffic Policy", spec.Str("externalTrafficPolicy"))
	optional("Internal Traffic Policy", spec.Str("internalTrafficPolicy"))
	if n, ok := spec.Int("healthCheckNodePort"); ok && n != 0 {
		w.line(0, "HealthCheck NodePort:\t%d\n", n)
	}
	if l := spec.List("loadBalancerSourceRanges"); l.Len() > 0 {
		optional("LoadBalancer Source Ranges", joined(l))
	}
	optional("Traffic Distribution", spec.Str("trafficDistribution"))
	return d.eventsOf(w, o)
}

func servicePortLines(w *page, p object.Object) {
	name := p.Str("name")
	if name == "" {
		name = "<unset>"
	}
	port, _ := p.Int("port")
	w.line(0, "Port:\t%s\t%d/%s\n", name, port, p.Str("protocol"))
	target, _ := p.At("targetPort")
	if target == nil {
		target = 0
	}
	w.line(0, "TargetPort:\t%v/%s\n", target, p.Str("protocol"))
	if s := p.Str("appProtocol"); s != "" {
		w.line(0, "AppProtocol:\t%s\n", s)
	}
	if n, _ := p.Int("nodePort"); n != 0 {
		w.line(0, "NodePort:\t%s\t%d/%s\n", name, n, p.Str("protocol"))
	}
	w.line(0, "Endpoints:\t<none>\n")
}

func joined(l *object.List) string {
	if l.Len() == 0 {
		return "<none>"
	}
	return strings.Join(texts(l), ",")
}

func ingress(l *object.List) string {
	var out []string
	for _, v := range l.All() {
		m, _ := v.(*object.Map)
		i := object.New(m)
		text := i.Str("hostname")
		if ip := i.Str("ip"); ip != "" {
			text = ip
			if mode := i.Str("ipMode"); mode != "" {
				text += " (" + mode + ")"
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

// eventsOf writes the events about an object; those that cannot be read are
// left out. Models DescribeEvents.
func (d *describing) eventsOf(w *page, o object.Object) error {
	if !d.events {
		return nil
	}
	selector := "involvedObject.name=" + o.Name() + ",involvedObject.namespace=" + o.Namespace() +
		",involvedObject.kind=" + o.Kind() + ",involvedObject.uid=" + o.UID()
	list, err := d.eventList(o.Namespace(), selector)
	if err != nil {
		return nil
	}
	if len(list) == 0 {
		w.line(0, "Events:\t<none>\n")
		return nil
	}
	if err := w.Flush(); err != nil {
		return err
	}
	sortEvents(list)
	w.line(0, "Events:\n  Type\tReason\tAge\tFrom\tMessage\n")
	w.line(1, "----\t------\t----\t----\t-------\n")
	now := d.env.Client.Now()
	for _, e := range list {
		from := e.Str("source", "component")
		if from == "" {
			from = e.Str("reportingComponent")
		}
		message := strings.TrimSpace(e.Str("message"))
		if field := e.Str("involvedObject", "fieldPath"); field != "" {
			message = field + ": " + message
		}
		w.line(1, "%s\t%s\t%s\t%s\t%s\n", e.Str("type"), e.Str("reason"), eventAge(e, now), from, message)
	}
	return nil
}

// eventList reads the events that a field selector selects.
func (c *call) eventList(namespace, selector string) ([]object.Object, error) {
	var out []object.Object
	opts := api.Request{Live: true}
	opts.FieldSelector, opts.Limit = selector, 500
	err := c.list(&resource{GVR: object.GVR{Version: "v1", Resource: "events"}, Namespaced: true}, namespace, opts, func(resp api.Response) error {
		if resp.List != nil {
			out = append(out, resp.List.Items...)
		}
		return nil
	})
	return out, err
}

// eventTime is when an event was seen last.
func eventTime(o object.Object) time.Time {
	for _, path := range [][]string{{"series", "lastObservedTime"}, {"lastTimestamp"}, {"eventTime"}} {
		if t, err := time.Parse(time.RFC3339, o.Str(path...)); err == nil {
			return t
		}
	}
	return time.Time{}
}

func sortEvents(list []object.Object) {
	sort.SliceStable(list, func(i, j int) bool { return eventTime(list[i]).Before(eventTime(list[j])) })
}

// eventAge says since when an event is seen, and how often.
func eventAge(o object.Object, now time.Time) string {
	first := o.Str("eventTime")
	if first == "" {
		first = o.Str("firstTimestamp")
	}
	if series := o.Map("series"); series != nil {
		count, _ := o.Int("series", "count")
		return fmt.Sprintf("%s (x%d over %s)", since(o.Str("series", "lastObservedTime"), now), count, since(first, now))
	}
	if count, _ := o.Int("count"); count > 1 {
		return fmt.Sprintf("%s (x%d over %s)", since(o.Str("lastTimestamp"), now), count, since(first, now))
	}
	return since(first, now)
}
