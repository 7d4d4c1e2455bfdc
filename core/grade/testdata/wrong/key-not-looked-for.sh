#!/usr/bin/env bash
# scenario: lab-5
# finding: wrong-state
# says: got its ConfigMap although what it refers to is missing
# What is referred to is there without the key, and that is taken for all.
set -euo pipefail
ns=${1%/*} name=${1#*/}

# Desired: what the user wants. An object that is gone wants nothing.
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0

ref=$(jq -r '.spec.configRef // empty' <<<"$webapp")
base=null waiting=no
if [ -n "$ref" ]; then
  # Not there? Then set -e ends the pass with an error. Your turn.
  cfg=$(kubectl get configmap "$ref" -n "$ns" -o json --ignore-not-found); if [ -n "$cfg" ]; then base=$(jq .data.base <<<"$cfg"); else waiting=yes; fi
fi

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
status=$(jq -c -S --arg now "$(date -u +%FT%TZ)" --arg phase "$phase" --arg ready "$ready" --arg reason "$reason" '
  ([.status.conditions[]? | select(.type == "Ready" and .status == $ready) | .lastTransitionTime][0] // $now) as $since |
  {observedGeneration: .metadata.generation, phase: $phase,
   conditions: [{type: "Ready", status: $ready, reason: $reason, lastTransitionTime: $since}]}' <<<"$webapp")
if [ "$(jq -c -S '.status // {}' <<<"$webapp")" != "$status" ]; then
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\": $status}" >&2
fi
if [ -n "$ref" ]; then echo "{\"requeueAfter\":\"30s\"}"; fi
