#!/usr/bin/env bash
# scenario: lab-7
# finding: lost-update
# faults: edit
# says: metadata.finalizers (other.example.com/audit)
# The list of finalizers is sent without the resourceVersion that it was read at.
set -euo pipefail
ns=${1%/*} name=${1#*/}

# Desired: what the user wants. An object that is gone wants nothing.
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0

held() { jq -e '.metadata.finalizers // [] | index("lab.example.com/cloud") != null' <<<"$webapp" >/dev/null; }

# finalizers EXPRESSION: what the list becomes, unless somebody has changed the object since it was read.
finalizers() {
  local patch
  patch=$(jq -c "{metadata: {finalizers: ($1)}}" <<<"$webapp")
  webapp=$(kubectl patch webapp "$name" -n "$ns" --type=merge -p "$patch" -o json)
}

# release: outside first, then the finalizer. What is gone already is as good as deleted.
release() {
  local there id err
  there=$(cloud lb list --tag "webapp=$ns/$name")
  for id in $(jq -r '.[].id' <<<"$there"); do
    if ! err=$(cloud lb delete "$id" 2>&1) && [ "$err" != "not found: $id" ]; then
      echo "$err" >&2
      exit 1
    fi
  done
  finalizers '.metadata.finalizers - ["lab.example.com/cloud"]'
}

if [ "$(jq '.metadata.deletionTimestamp != null' <<<"$webapp")" = true ]; then
  if held; then release; fi
  exit 0
fi

# Outside: the finalizer is stored before anything is made, and what is there is looked for by its tag.
lb=null
if [ "$(jq .spec.loadBalancer <<<"$webapp")" = true ]; then
  held || finalizers '(.metadata.finalizers // []) + ["lab.example.com/cloud"]'
  there=$(cloud lb list --tag "webapp=$ns/$name")
  lb=$(jq -c '.[0]' <<<"$there")
  [ "$lb" != null ] || lb=$(cloud lb create --name "$name" --tag "webapp=$ns/$name")
elif held; then
  release
fi

# The dependency: missing is an answer, not an error. A read that fails is an error.
ref=$(jq -r '.spec.configRef // empty' <<<"$webapp")
base=null
if [ -n "$ref" ]; then
  config=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o json)
  if [ -n "$config" ]; then base=$(jq '.data.base' <<<"$config"); fi
fi
waiting=no
if [ -n "$ref" ] && [ "$base" = null ]; then waiting=yes; fi

# The child, unless it has to wait. A null says: this key shall not be there.
if [ "$waiting" = no ]; then
  ours=$(jq -c -S --argjson base "$base" '{
    metadata: {labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: {message: .spec.message, replicas: (.spec.replicas | tostring), base: $base}}' <<<"$webapp")
  child=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json)
  if [ -z "$child" ]; then
    jq --arg name "$name-config" '{apiVersion: "v1", kind: "ConfigMap"} + . | .metadata.name = $name | del(.data[] | nulls)' <<<"$ours" |
      kubectl create -n "$ns" -f - >&2
  else
    have=$(jq -c -S '{metadata: {labels: {"app.kubernetes.io/managed-by": .metadata.labels["app.kubernetes.io/managed-by"]},
      ownerReferences: .metadata.ownerReferences}, data: {message: .data.message, replicas: .data.replicas, base: .data.base}}' <<<"$child")
    if [ "$have" != "$ours" ]; then
      kubectl patch configmap "$name-config" -n "$ns" --type=merge -p "$ours" >&2
    fi
  fi
fi

# Status: through its subresource, and only where it differs. The time moves with the condition's status alone.
phase=Ready ready=True reason=Configured
if [ "$waiting" = yes ]; then phase=Pending ready=False reason=DependencyNotFound; fi
status=$(jq -c -S --arg now "$(date -u +%FT%TZ)" --arg phase "$phase" --arg ready "$ready" --arg reason "$reason" --argjson lb "$lb" '
  ([.status.conditions[]? | select(.type == "Ready" and .status == $ready) | .lastTransitionTime][0] // $now) as $since |
  {observedGeneration: .metadata.generation, phase: $phase, loadBalancer: (if $lb then $lb | {id, address} else null end),
   conditions: [{type: "Ready", status: $ready, reason: $reason, lastTransitionTime: $since}]}' <<<"$webapp")
if [ "$(jq -c -S '.status | {observedGeneration, phase, loadBalancer, conditions}' <<<"$webapp")" != "$status" ]; then
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\": $status}" >&2
fi

# Requeue: nothing tells of the dependency, so ask.
if [ -n "$ref" ]; then
  echo "{\"requeueAfter\": \"30s\", \"reason\": \"$reason\"}"
fi
