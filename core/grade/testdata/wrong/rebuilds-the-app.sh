#!/bin/sh
# finding: foreign-write
# says: belongs to others
# The finalizer is put on with an object made from scratch: what others have put there goes.
set -eu

key=$1
ns=${key%/*}
name=${key#*/}
tmp=/tmp/$ns.$name
mkdir -p "$tmp"
cd "$tmp"

kubectl -n "$ns" get webapp "$name" --ignore-not-found -o json > app.json
if ! test -s app.json; then
  exit 0
fi

value() {
  jq -r "$1" app.json
}

going=$(value 'if .metadata.deletionTimestamp then 1 else 0 end')
wants=$(value 'if .spec.loadBalancer then 1 else 0 end')
mine=$(value '[.metadata.finalizers[]? | select(. == "lab.example.com/cloud")] | length')

if [ "$going" -eq 1 ] || [ "$wants" -eq 0 ]; then
  if [ "$mine" -ne 0 ]; then
    cloud lb list --tag "webapp=$key" > lbs.json
    jq -r '.[].id' lbs.json > ids
    while read -r id; do
      if cloud lb delete "$id" 2> err; then
        echo "deleted $id" >&2
      elif [ "$(cat err)" != "not found: $id" ]; then
        cat err >&2
        exit 1
      fi
    done < ids
    value '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: [.metadata.finalizers[] | select(. != "lab.example.com/cloud")]}}' > patch.json
    kubectl -n "$ns" patch webapp "$name" --type merge --patch-file patch.json >&2
  fi
  [ "$going" -eq 0 ] || exit 0
  echo null > lb.json
else
  if [ "$mine" -eq 0 ]; then
    value '{apiVersion: .apiVersion, kind: .kind, metadata: {name: .metadata.name, namespace: .metadata.namespace, finalizers: ["lab.example.com/cloud"]}, spec: .spec}' > new.json
    kubectl replace -f new.json >&2
  fi
  cloud lb list --tag "webapp=$key" > lbs.json
  jq '.[0]' lbs.json > lb.json
  if [ "$(cat lb.json)" = null ]; then
    cloud lb create --name "$name" --tag "webapp=$key" > lb.json
  fi
fi

ref=$(value '.spec.configRef // ""')
echo null > base.json
if [ -n "$ref" ]; then
  kubectl -n "$ns" get configmap "$ref" --ignore-not-found -o json > dep.json
  if [ -s dep.json ]; then
    jq .data.base dep.json > base.json
  fi
fi
if [ -n "$ref" ] && [ "$(cat base.json)" = null ]; then
  phase=Pending ready=False reason=DependencyNotFound
else
  phase=Ready ready=True reason=UpToDate
  jq --slurpfile base base.json '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: (.metadata.name + "-config"), namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion: .apiVersion, kind: .kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
    },
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + if $base[0] then {base: $base[0]} else {} end)
  }' app.json | kubectl apply -f - >&2
fi

jq --slurpfile lb lb.json --arg phase $phase --arg ready $ready --arg reason $reason --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  .status = {
    observedGeneration: .metadata.generation, phase: $phase,
    conditions: [{type: "Ready", status: $ready, reason: $reason, message: "",
      lastTransitionTime: ([.status.conditions[]? | select(.type == "Ready" and .status == $ready) | .lastTransitionTime] | first // $now)}]
  }
  | if $lb[0] then .status.loadBalancer = {id: $lb[0].id, address: $lb[0].address} else . end' app.json > new.json
if [ "$(jq -S .status app.json)" != "$(jq -S .status new.json)" ]; then
  kubectl replace --subresource=status -f new.json >&2
fi
if [ -n "$ref" ]; then
  printf '{\n  "requeueAfter": "30s",\n  "reason": "%s"\n}\n' "$reason"
fi
