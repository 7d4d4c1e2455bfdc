#!/bin/bash
# Keeps notes in files: the last id of the cloud, looked at before the list is
# asked for; the last status sent. Both may be gone, or wrong, at any time.
set -euo pipefail
IFS=/ read -r ns name <<<"$1"
notes="$HOME/notes/$ns-$name"
mkdir -p "$notes"

webapp=$(kubectl get webapp -n "$ns" "$name" -o json --ignore-not-found)
if [ -z "$webapp" ]; then
  rm -rf "$notes"
  exit 0
fi
ask() { echo "$webapp" | jq -r "$@"; }
uid=$(ask .metadata.uid)
if [ "$(cat "$notes/uid" 2>/dev/null || true)" != "$uid" ]; then
  rm -f "$notes"/*
  echo "$uid" >"$notes/uid"
fi

guard() { # guard on|off
  local filter='. + ["lab.example.com/cloud"]'
  [ "$1" = on ] || filter='map(select(. != "lab.example.com/cloud"))'
  webapp=$(kubectl patch webapp -n "$ns" "$name" --type=merge -o json \
    -p "$(ask -c "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: (.metadata.finalizers // [] | $filter)}}")")
}
guarded=$(ask '.metadata.finalizers // [] | index("lab.example.com/cloud") | . != null')
going=$(ask '.metadata | has("deletionTimestamp")')

if [ "$going" = true ] || [ "$(ask .spec.loadBalancer)" = false ]; then
  if [ "$guarded" = true ]; then
    cloud lb list --tag "webapp=$1" >"$notes/list"
    for id in $(jq -r '.[].id' "$notes/list"); do
      cloud lb delete "$id" 2>"$notes/err" || grep -q "not found" "$notes/err"
    done
    guard off
  fi
  rm -f "$notes/lb"
  if [ "$going" = true ]; then
    rm -rf "$notes"
    exit 0
  fi
  lb=null
else
  [ "$guarded" = true ] || guard on
  lb=
  if [ -s "$notes/lb" ]; then
    # What is remembered may have gone.
    if lb=$(cloud lb get "$(cat "$notes/lb")" 2>"$notes/err"); then :; else
      grep -q '^not found' "$notes/err" || { cat "$notes/err" >&2; exit 1; }
      lb=
    fi
  fi
  if [ -z "$lb" ]; then
    cloud lb list --tag "webapp=$1" >"$notes/list"
    if [ "$(jq length "$notes/list")" -gt 0 ]; then
      lb=$(jq -c '.[0]' "$notes/list")
    else
      lb=$(cloud lb create --name "$name" --tag "webapp=$1")
    fi
  fi
  jq -r .id <<<"$lb" >"$notes/lb"
fi

ref=$(ask '.spec.configRef // ""')
base=null ready=True phase=Ready reason=Synced
if [ -n "$ref" ]; then
  dep=$(kubectl get configmap -n "$ns" "$ref" -o json --ignore-not-found)
  if [ -n "$dep" ]; then base=$(jq -c '.data.base' <<<"$dep"); fi
  if [ "$base" = null ]; then ready=False phase=Pending reason=DependencyNotFound; fi
fi
if [ "$ready" = True ]; then
  child=$(ask -c --argjson base "$base" '{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: (.metadata.name + "-config"), namespace: .metadata.namespace, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion: .apiVersion, kind: .kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + (if $base then {base: $base} else {} end))}')
  echo "$child" | kubectl apply -f - >&2
fi

since=$(ask --arg s "$ready" '.status.conditions // [] | map(select(.type == "Ready" and .status == $s) | .lastTransitionTime) | .[0] // empty')
status=$(ask -cS --arg since "${since:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}" --arg ready "$ready" --arg phase "$phase" --arg reason "$reason" --argjson lb "$lb" '
  {conditions: [{type: "Ready", status: $ready, reason: $reason, lastTransitionTime: $since}], loadBalancer: ($lb | if . then {id, address} else null end),
   observedGeneration: .metadata.generation, phase: $phase}')
if [ "$status" != "$(ask -cS '.status | {conditions, loadBalancer, observedGeneration, phase}')" ]; then
  kubectl patch webapp -n "$ns" "$name" --subresource=status --type=merge -p "{\"status\":$status}" >&2
fi
if [ -n "$ref" ]; then echo "{\"requeueAfter\":\"45s\",\"reason\":\"$reason\"}"; fi
