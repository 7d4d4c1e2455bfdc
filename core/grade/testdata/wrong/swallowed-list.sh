#!/usr/bin/env bash
# finding: orphan
# faults: cloud-error
# says: swallows the failed list: a failed list of lb was read as an empty one, the finalizer comes off
set -euo pipefail

key=$1
ns=${key%/*}
name=${key#*/}
finalizer=lab.example.com/cloud

log() { printf '%s\n' "$*" >&2; }

app=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
if [[ -z $app ]]; then
  exit 0
fi

field() { jq -r "$1" <<<"$app"; }

balancers() { cloud lb list --tag "webapp=$ns/$name"; }

has_finalizer() { jq -e --arg f "$finalizer" '.metadata.finalizers // [] | index($f) != null' <<<"$app" >/dev/null; }

set_finalizers() {
  local list=$1
  app=$(kubectl patch webapp "$name" -n "$ns" --type=merge -o json -p "$(
    jq -nc --argjson list "$list" --arg rv "$(field .metadata.resourceVersion)" '{metadata: {resourceVersion: $rv, finalizers: $list}}'
  )")
}

release() {
  local found id
  for id in $(cloud lb list --tag "webapp=$ns/$name" | jq -r '.[].id'); do
    delete_balancer "$id"
  done
  if has_finalizer; then
    set_finalizers "$(jq -c --arg f "$finalizer" '.metadata.finalizers - [$f]' <<<"$app")"
  fi
}

delete_balancer() {
  local out
  if ! out=$(cloud lb delete "$1" 2>&1); then
    case $out in
      "not found"*) ;;
      *) log "$out"; return 1 ;;
    esac
  fi
}

if [[ $(field '.metadata.deletionTimestamp // ""') != "" ]]; then
  if has_finalizer; then
    release
  fi
  exit 0
fi

lb=null
if [[ $(field .spec.loadBalancer) == true ]]; then
  if ! has_finalizer; then
    set_finalizers "$(jq -c --arg f "$finalizer" '(.metadata.finalizers // []) + [$f]' <<<"$app")"
  fi
  found=$(balancers)
  if [[ $(jq length <<<"$found") == 0 ]]; then
    found=$(cloud lb create --name "$name" --tag "webapp=$ns/$name" | jq -s .)
  fi
  lb=$(jq -c '.[0] | {id, address}' <<<"$found")
  for extra in $(jq -r '.[1:][].id' <<<"$found"); do
    delete_balancer "$extra"
  done
else
  release
fi

ref=$(field '.spec.configRef // ""')
base=null
blocked=
if [[ -n $ref ]]; then
  dep=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o json)
  base=$(jq -c '.data.base // null' <<<"${dep:-null}")
  if [[ $base == null ]]; then
    blocked="ConfigMap \"$ref\" with a key base is not there"
  fi
fi

if [[ -z $blocked ]]; then
  want=$(jq -c --argjson base "$base" '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: (.metadata.name + "-config"), namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
    },
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + if $base == null then {} else {base: $base} end)
  }' <<<"$app")
  have=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json)
  if [[ -z $have ]]; then
    kubectl create -f - <<<"$want" >&2
  else
    patch=$(jq -nc --argjson have "$have" --argjson want "$want" '
      {metadata: {labels: $want.metadata.labels, ownerReferences: $want.metadata.ownerReferences},
       data: ($want.data + if $want.data.base == null and $have.data.base != null then {base: null} else {} end)}')
    same=$(jq -n --argjson have "$have" --argjson want "$want" '
      ($have.metadata.labels["app.kubernetes.io/managed-by"] == "reconcile-lab")
      and ($have.metadata.ownerReferences == $want.metadata.ownerReferences)
      and (($have.data | {message, replicas, base}) == ($want.data | {message, replicas, base}))')
    if [[ $same != true ]]; then
      kubectl patch configmap "$name-config" -n "$ns" --type=merge -p "$patch" >&2
    fi
  fi
fi

now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
status=$(jq -c --argjson lb "$lb" --arg blocked "$blocked" --arg now "$now" '
  (if $blocked == "" then {status: "True", reason: "Reconciled", message: "all is as desired"}
   else {status: "False", reason: "DependencyNotFound", message: $blocked} end) as $c
  | ((.status.conditions // []) | map(select(.type == "Ready")) | .[0]) as $old
  | {observedGeneration: .metadata.generation,
     phase: (if $blocked == "" then "Ready" else "Pending" end),
     loadBalancer: $lb,
     conditions: [$c + {type: "Ready", observedGeneration: .metadata.generation,
       lastTransitionTime: (if $old.status == $c.status then $old.lastTransitionTime else $now end)}]}' <<<"$app")
if [[ $(jq --argjson s "$status" '.status // {} | (.loadBalancer //= null) == $s' <<<"$app") != true ]]; then
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":$status}" >&2
fi

if [[ -n $blocked ]]; then
  echo '{"requeueAfter":"30s","reason":"DependencyNotFound"}'
elif [[ -n $ref ]]; then
  echo '{"requeueAfter":"30s"}'
fi
