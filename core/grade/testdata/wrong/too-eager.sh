#!/bin/bash
# finding: hot-loop
# says: without end
# Asks for the next pass at once, for ever.
set -eo pipefail
ns=$(dirname "$1") name=$(basename "$1")

kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found >app.json
test -s app.json || exit 0
jq -r '.spec.configRef // empty' app.json >ref
if [ -s ref ]; then
  kubectl get configmap "$(cat ref)" -n "$ns" -o json --ignore-not-found >dep.json
else
  : >dep.json
fi
test -s dep.json || echo '{}' >dep.json
cloud lb list --tag "webapp=$1" >lbs.json

# 1: what is to be done about the cloud, and the finalizer.
jq -r --slurpfile lbs lbs.json '
  (.spec.loadBalancer and (.metadata.deletionTimestamp == null)) as $want
  | (.metadata.finalizers // []) as $f
  | ($f | index("lab.example.com/cloud")) as $at
  | if $want then
      (if $at == null then ($f + ["lab.example.com/cloud"]) | tojson | "finalizers \(.)" else empty end),
      (if ($lbs[0] | length) == 0 then "create" else empty end)
    else
      ($lbs[0][] | "delete \(.id)"),
      (if $at != null then ($f - ["lab.example.com/cloud"]) | tojson | "finalizers \(.)" else empty end)
    end' app.json |
  while read -r what arg; do
    case $what in
      create) cloud lb create --name "$name" --tag "webapp=$1" | jq -s . >lbs.json ;;
      delete) cloud lb delete "$arg" 2>err || grep -q '^not found' err || { cat err >&2; exit 1; } ;;
      finalizers)
        rv=$(jq -r .metadata.resourceVersion app.json)
        kubectl patch webapp "$name" -n "$ns" --type merge -p "{\"metadata\":{\"resourceVersion\":\"$rv\",\"finalizers\":$arg}}" >&2
        ;;
    esac
  done
if jq -e .metadata.deletionTimestamp app.json >/dev/null; then exit 0; fi

# 2: the child, unless something is missing.
jq --slurpfile dep dep.json '
  if .spec.configRef and ($dep[0].data.base == null) then empty else
  {apiVersion: "v1", kind: "ConfigMap",
   metadata: {name: (.metadata.name + "-config"), namespace: .metadata.namespace, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
     ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
   data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + (if .spec.configRef then {base: $dep[0].data.base} else {} end))}
  end' app.json >child.json
if test -s child.json; then kubectl apply -f child.json >&2; fi

# 3: status, the same in every pass: the server sees that nothing changed.
jq --slurpfile dep dep.json --slurpfile lbs lbs.json --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  (.spec.configRef != null and $dep[0].data.base == null) as $waits
  | (if $waits then "False" else "True" end) as $ready
  | ([.status.conditions[]? | select(.type == "Ready")][0]) as $old
  | {status: {
      observedGeneration: .metadata.generation,
      phase: (if $waits then "Pending" else "Ready" end),
      loadBalancer: (if .spec.loadBalancer then ($lbs[0][0] | {id, address}) else null end),
      conditions: [{type: "Ready", status: $ready, reason: (if $waits then "DependencyNotFound" else "Done" end), message: "",
        lastTransitionTime: (if $old.status == $ready then $old.lastTransitionTime else $now end)}]}}' app.json >status.json
kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge --patch-file status.json >&2

if [ -s ref ]; then
  jq -c '{requeueAfter: "100ms", reason: .status.conditions[0].reason}' status.json
fi
