#!/usr/bin/env bash
# finding: foreign-write
# says: ConfigMap/default/shared
# Takes what it depends on for its own, by an ownerReference.
set -euo pipefail
NS=${1%/*} NAME=${1#*/} F=lab.example.com/cloud
again() { echo '{"requeueAfter":"1s","reason":"GoingOn"}'; exit 0; }

A=$(kubectl get webapp -n "$NS" "$NAME" -o json --ignore-not-found)
[[ -n $A ]] || exit 0
a() { jq -r "$1" <<<"$A"; }
lbs=$(cloud lb list --tag "webapp=$1")
count=$(jq length <<<"$lbs")
gone=$(a '.metadata.deletionTimestamp != null')
held=$(a ".metadata.finalizers // [] | any(. == \"$F\")")
wants=$(a '.spec.loadBalancer')

if [[ $gone == true || $wants != true ]]; then
  if (( count > 0 )); then
    cloud lb delete "$(jq -r '.[0].id' <<<"$lbs")" || true # looked at again at once
    again
  fi
  if [[ $held == true ]]; then
    a "del(.metadata.finalizers[] | select(. == \"$F\"))" | kubectl replace -f - >&2
    [[ $gone == true ]] && exit 0
    again
  fi
  [[ $gone == true ]] && exit 0
else
  if [[ $held != true ]]; then
    a ".metadata.finalizers += [\"$F\"]" | kubectl replace -f - >&2
    again
  fi
  if (( count == 0 )); then
    cloud lb create --name "$NAME" --tag "webapp=$1" >&2
    again
  fi
  if (( count > 1 )); then
    cloud lb delete "$(jq -r '.[1].id' <<<"$lbs")" || true
    again
  fi
fi

ref=$(a '.spec.configRef // ""')
if [[ -n $ref ]]; then
  dep=$(kubectl get cm -n "$NS" "$ref" -o json --ignore-not-found)
  base=$(jq -r '.data.base // empty' <<<"$dep")
  if [[ -n $dep && $(jq '.metadata.ownerReferences == null' <<<"$dep") == true ]]; then
    jq --argjson a "$A" '.metadata.ownerReferences = [{apiVersion: $a.apiVersion, kind: $a.kind, name: $a.metadata.name, uid: $a.metadata.uid}]' <<<"$dep" | kubectl replace -f - >&2
  fi
fi
reason=AllThere
if [[ -n $ref && -z ${base:-} ]]; then
  reason=DependencyNotFound
else
  child=$(kubectl get cm -n "$NS" "$NAME-config" -o json --ignore-not-found)
  want=$(jq -n --argjson a "$A" --argjson old "${child:-null}" --arg base "${base:-}" '
    ($old // {apiVersion: "v1", kind: "ConfigMap", metadata: {name: ($a.metadata.name + "-config"), namespace: $a.metadata.namespace}})
    | .metadata.labels["app.kubernetes.io/managed-by"] = "reconcile-lab"
    | .metadata.ownerReferences = [{apiVersion: $a.apiVersion, kind: $a.kind, name: $a.metadata.name, uid: $a.metadata.uid, controller: true, blockOwnerDeletion: true}]
    | .data.message = $a.spec.message | .data.replicas = ($a.spec.replicas | tostring)
    | if $base == "" then del(.data.base) else .data.base = $base end')
  if [[ -z $child ]]; then
    kubectl create -f - <<<"$want" >&2
    again
  elif [[ $(jq -S . <<<"$child") != "$(jq -S . <<<"$want")" ]]; then
    kubectl replace -f - <<<"$want" >&2
    again
  fi
fi

status=$(jq -n --argjson a "$A" --argjson lbs "$lbs" --arg reason "$reason" --arg now "$(date -u +%FT%TZ)" '
  (if $reason == "AllThere" then "True" else "False" end) as $s
  | {observedGeneration: $a.metadata.generation, phase: (if $s == "True" then "Ready" else "Pending" end),
     conditions: [{type: "Ready", status: $s, reason: $reason,
       lastTransitionTime: ([$a.status.conditions[]? | select(.type == "Ready" and .status == $s).lastTransitionTime][0] // $now)}]}
  + if $a.spec.loadBalancer then {loadBalancer: ($lbs[0] | {id, address})} else {} end')
if [[ $(jq -S '.status // {}' <<<"$A") != "$(jq -S . <<<"$status")" ]]; then
  jq --argjson s "$status" '.status = $s' <<<"$A" | kubectl replace --subresource=status -f - >&2
fi
[[ -z $ref ]] || jq -nc --arg r "$reason" '{requeueAfter: "30s", reason: $r}'
