#!/usr/bin/env bash
# finding: foreign-write
# says: deleted it
# Deletes the WebApp itself when its dependency is missing.
set -euo pipefail
ns=${1%/*}
name=${1#*/}
child=$name-config
app=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
if [ -z "$app" ]; then
  echo "nothing to do: $1 is gone" >&2
  exit 0
fi
uid=$(jq -r .metadata.uid <<<"$app")
has() { jq -e '.metadata.finalizers // [] | index("lab.example.com/cloud")' <<<"$app" >/dev/null; }
finalize() {
  kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(jq -c --argjson list "$1" '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: $list}}' <<<"$app")" -o json >after.json
  app=$(cat after.json)
}
clean_cloud() {
  local lbs id
  lbs=$(cloud lb list --tag "webapp=$1")
  for id in $(jq -r '.[] | .id' <<<"$lbs"); do
    if ! cloud lb delete "$id" 2>err.txt; then
      if grep -q "not found" err.txt; then continue; fi
      cat err.txt >&2
      exit 1
    fi
  done
}

if jq -e .metadata.deletionTimestamp <<<"$app" >/dev/null; then
  owner=$(kubectl get configmap "$child" -n "$ns" --ignore-not-found -o jsonpath='{.metadata.ownerReferences[?(@.controller==true)].uid}')
  if [ "$owner" = "$uid" ]; then
    kubectl delete configmap "$child" -n "$ns" --ignore-not-found --wait=false >&2
  fi
  if has; then
    clean_cloud "$1"
    finalize "$(jq -c '.metadata.finalizers - ["lab.example.com/cloud"]' <<<"$app")"
  fi
  exit 0
fi

balancer=null
if [ "$(jq .spec.loadBalancer <<<"$app")" = true ]; then
  has || finalize "$(jq -c '(.metadata.finalizers // []) + ["lab.example.com/cloud"]' <<<"$app")"
  lbs=$(cloud lb list --tag "webapp=$1")
  case $(jq length <<<"$lbs") in
    0) balancer=$(cloud lb create --name "$name" --tag "webapp=$1") ;;
    *) balancer=$(jq -c '.[0]' <<<"$lbs") ;;
  esac
elif has; then
  clean_cloud "$1"
  finalize "$(jq -c '.metadata.finalizers - ["lab.example.com/cloud"]' <<<"$app")"
fi

phase=Ready ready=True reason=Done message=
ref=$(jq -r '.spec.configRef // ""' <<<"$app")
base=null
if [ -n "$ref" ]; then
  dep=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o json)
  base=$(jq -c '.data.base // null' <<<"${dep:-null}")
  if [ "$base" = null ]; then kubectl delete webapp "$name" -n "$ns" --wait=false >&2; exit 0; fi
  if [ "$base" = null ]; then phase=Pending ready=False reason=DependencyNotFound message="waiting for $ref"; fi
fi

if [ $ready = True ]; then
  have=$(kubectl get configmap "$child" -n "$ns" --ignore-not-found -o json)
  owner=$(jq -r '[.metadata.ownerReferences[]? | select(.controller).uid][0] // ""' <<<"${have:-null}")
  if [ -n "$owner" ] && [ "$owner" != "$uid" ]; then
    going=$(jq -r '.metadata.deletionTimestamp // ""' <<<"$have")
    echo "$child belongs to another one (${going:-still there}), waiting until it is collected" >&2
    echo '{"requeueAfter":"2s","reason":"NameTaken"}'
    exit 0
  fi
  jq -c --argjson base "$base" '{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: (.metadata.name + "-config"), namespace: .metadata.namespace, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion: .apiVersion, kind: .kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + (if $base then {base: $base} else {} end))}' <<<"$app" >want.json
  if [ -z "$have" ]; then
    kubectl create -f want.json >&2
  elif ! jq -e --slurpfile w want.json '. as $h | $w[0] as $w
      | ($h.metadata.labels // {} | contains($w.metadata.labels)) and $h.metadata.ownerReferences == $w.metadata.ownerReferences
        and ([$w.data, $h.data | {message, replicas, base}] | .[0] == .[1])' <<<"$have" >/dev/null; then
    jq --slurpfile w want.json '.metadata.labels = ((.metadata.labels // {}) + $w[0].metadata.labels) | .metadata.ownerReferences = $w[0].metadata.ownerReferences
      | .data = ((.data // {} | del(.base)) + $w[0].data)' <<<"$have" | kubectl replace -f - >&2
  fi
fi

new=$(jq -c --arg phase "$phase" --arg ready "$ready" --arg reason "$reason" --arg message "$message" --argjson lb "$balancer" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  ([.status.conditions[]? | select(.type == "Ready")][0] // {}) as $old
  | {observedGeneration: .metadata.generation, phase: $phase,
     conditions: [{type: "Ready", status: $ready, reason: $reason, message: $message,
       lastTransitionTime: (if $old.status == $ready then $old.lastTransitionTime else $now end)}]}
  + (if $lb then {loadBalancer: ($lb | {id, address})} else {} end)' <<<"$app")
if ! jq -e --argjson new "$new" '.status == $new' <<<"$app" >/dev/null; then
  jq -c --argjson new "$new" '.status = $new' <<<"$app" | kubectl replace --subresource=status -f - >&2
fi
if [ -n "$ref" ]; then
  jq -n -c --arg reason "$reason" '{requeueAfter: "30s", reason: $reason}'
fi
