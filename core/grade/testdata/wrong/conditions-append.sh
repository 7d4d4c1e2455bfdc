#!/usr/bin/env bash
# Each pass adds a condition instead of putting it in the place of the old one.
# finding: crashed
# says: Duplicate value
set -euo pipefail
shopt -s inherit_errexit
ns="${1%%/*}"; name="${1##*/}"
readonly ns name FIN=lab.example.com/cloud

app="$(kubectl get webapp/"$name" -n "$ns" -o json --ignore-not-found)"
if [[ -z "$app" ]]; then exit 0; fi
jqa() { jq -r "$@" <<<"$app"; }

lb_get() { # prints the item, or nothing if it is not there
  local out
  if out="$(cloud lb get "$1" 2>&1)"; then printf '%s' "$out"; return 0; fi
  [[ "$out" == "not found: $1" ]] && return 0
  echo "$out" >&2
  return 1
}
lb_find() {
  local id item
  id="$(jqa '.status.loadBalancer.id // ""')"
  if [[ -n "$id" ]]; then
    item="$(lb_get "$id")"
    if [[ -n "$item" ]]; then printf '%s' "$item"; return 0; fi
  fi
  local all; all="$(cloud lb list --tag "webapp=$ns/$name")"
  jq -c 'first // empty' <<<"$all"
}
lb_purge() {
  local all; all="$(cloud lb list --tag "webapp=$ns/$name")"
  local ids; mapfile -t ids < <(jq -r '.[].id' <<<"$all")
  local id out
  for id in "${ids[@]}"; do
    out="$(cloud lb delete "$id" 2>&1)" || [[ "$out" == "not found: $id" ]] || { echo "$out" >&2; return 1; }
  done
}
set_fins() {
  app="$(kubectl patch webapp/"$name" -n "$ns" --type=merge -o json -p "$(jqa -c --arg f "$FIN" "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) $1 [\$f])}}")")"
}

guarded="$(jqa --arg f "$FIN" '(.metadata.finalizers // []) | contains([$f])')"
if [[ "$(jqa '.metadata | has("deletionTimestamp")')" == true ]]; then
  if [[ "$guarded" == true ]]; then lb_purge; set_fins -; fi
  exit 0
fi

lb=
if [[ "$(jqa '.spec.loadBalancer')" == true ]]; then
  if [[ "$guarded" != true ]]; then set_fins +; fi
  lb="$(lb_find)"
  if [[ -z "$lb" ]]; then lb="$(cloud lb create --name "$name" --tag "webapp=$ns/$name")"; fi
elif [[ "$guarded" == true ]]; then
  lb_purge
  set_fins -
fi

ref="$(jqa '.spec.configRef // ""')"
if [[ -n "$ref" ]]; then
  dep="$(kubectl get configmap/"$ref" -n "$ns" -o json --ignore-not-found)"
  base="$(jq '.data.base' <<<"${dep:-null}")"
else
  base=false
fi

ok=true
if [[ "$base" == null ]]; then
  ok=false
else
  child="$(kubectl get configmap/"$name-config" -n "$ns" -o json --ignore-not-found)"
  new="$(jq -n --argjson app "$app" --argjson base "$base" --argjson old "${child:-null}" '
    ($old // {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "\($app.metadata.name)-config", namespace: $app.metadata.namespace}})
    | .metadata.labels."app.kubernetes.io/managed-by" = "reconcile-lab"
    | .metadata.ownerReferences = [$app | {apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
    | .data = (.data // {} | del(.base)) + {message: $app.spec.message, replicas: ($app.spec.replicas | tostring)}
    | if $base then .data.base = $base else . end')"
  if [[ -z "$child" ]]; then
    kubectl create -f - <<<"$new" >&2
  elif [[ "$(jq -n --argjson a "$child" --argjson b "$new" '$a == $b')" == false ]]; then
    kubectl replace -f - <<<"$new" >&2
  fi
fi

now="$(date -u +%Y-%m-%dT%H:%M:%SZ)"
status="$(jqa -c --argjson ok "$ok" --argjson lb "${lb:-null}" --arg now "$now" '
  def ready: [.status.conditions[]? | select(.type == "Ready")] | first;
  (if $ok then "True" else "False" end) as $s | ready as $r
  | {observedGeneration: .metadata.generation,
     phase: (if $ok then "Ready" else "Pending" end),
     conditions: ((.status.conditions // []) + [{type: "Ready", status: $s,
        reason: (if $ok then "Up" else "DependencyNotFound" end),
        message: (if $ok then "everything is there" else "ConfigMap \(.spec.configRef) has no base" end),
        lastTransitionTime: (if $r != null and $r.status == $s then $r.lastTransitionTime else $now end)}])}
  + (if $lb then {loadBalancer: {id: $lb.id, address: $lb.address}} else {} end)')"
if [[ "$(jqa --argjson s "$status" '.status == $s')" != true ]]; then
  kubectl replace --subresource=status -f - <<<"$(jqa --argjson s "$status" '.status = $s')" >&2
fi
if [[ -n "$ref" ]]; then jq -cn '{requeueAfter: "30s"}'; fi
