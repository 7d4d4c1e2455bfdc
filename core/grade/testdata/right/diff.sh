#!/usr/bin/env bash
# kubectl diff decides what is applied; without set -e; timeout around each call; a note in an annotation.
set -uo pipefail
key=$1
ns=${key%%/*}
name=${key##*/}
fail() { echo "$name: $1" >&2; exit "${2:-1}"; }
call() { timeout 20 "$@"; }

app=$(call kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json) || fail "cannot read it"
[ -n "$app" ] || exit 0
get() { jq -r "$1" <<<"$app"; }
finpatch() {
  jq -c --arg op "$1" '{metadata: {resourceVersion: .metadata.resourceVersion,
     finalizers: ((.metadata.finalizers // []) as $f | if $op == "add" then $f + ["lab.example.com/cloud"] else $f - ["lab.example.com/cloud"] end)}}' <<<"$app"
}
guarded=$(get '(.metadata.finalizers // []) | index("lab.example.com/cloud") | type')

teardown() {
  local lbs id err
  lbs=$(call cloud lb list --tag "webapp=$key") || fail "cannot list load balancers"
  while read -r id; do
    [ -n "$id" ] || continue
    err=$(call cloud lb delete "$id" 2>&1)
    case $? in
      0) ;;
      1) [[ $err == "not found"* ]] || fail "$err" ;;
      *) fail "$err" ;;
    esac
  done <<<"$(jq -r '.[].id' <<<"$lbs")"
  kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(finpatch remove)" >&2 || fail "finalizer stays"
  app=$(call kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json) || fail "cannot read it"
}

if [ "$(get '.metadata.deletionTimestamp')" != null ]; then
  [ "$guarded" = number ] || exit 0
  teardown
  exit 0
fi

item=
if [ "$(get '.spec.loadBalancer')" = true ]; then
  if [ "$guarded" != number ]; then
    app=$(kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(finpatch add)" -o json) || fail "no finalizer, no load balancer"
  fi
  lbs=$(call cloud lb list --tag "webapp=$key") || fail "cannot list load balancers"
  item=$(jq -c '.[0] // empty' <<<"$lbs")
  if [ -z "$item" ]; then
    item=$(call cloud lb create --name "$name" --tag "webapp=$key") || fail "cannot create a load balancer"
  fi
elif [ "$guarded" = number ]; then
  teardown
  [ -n "$app" ] || exit 0
fi
noted=$(get '.metadata.annotations["lab.example.com/lb"] // ""')
id=$( [ -z "$item" ] || jq -r .id <<<"$item" )
if [ "$noted" != "$id" ]; then
  if [ -n "$id" ]; then
    kubectl annotate webapp "$name" -n "$ns" --overwrite "lab.example.com/lb=$id" >&2 || fail "cannot annotate"
  else
    kubectl annotate webapp "$name" -n "$ns" lab.example.com/lb- >&2 || fail "cannot annotate"
  fi
fi

ref=$(get '.spec.configRef // ""')
waiting=false base=null
if [ -n "$ref" ]; then
  dep=$(call kubectl get cm "$ref" -n "$ns" --ignore-not-found -o json) || fail "cannot read $ref"
  [ -z "$dep" ] || base=$(jq '.data.base' <<<"$dep")
  [ "$base" != null ] || waiting=true
fi

if ! $waiting; then
  manifest=$(jq --argjson base "$base" '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "\(.metadata.name)-config", namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, blockOwnerDeletion: true, controller: true, kind, name: .metadata.name, uid: .metadata.uid}]},
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + (if $base == null then {} else {base: $base} end))}' <<<"$app")
  kubectl diff -f - <<<"$manifest" >/dev/null 2>/tmp/diff.err
  case $? in
    0) ;;
    1) kubectl apply -f - <<<"$manifest" >&2 || fail "cannot apply the child" ;;
    *) fail "diff: $(cat /tmp/diff.err)" ;;
  esac
fi

status=$(jq -c --argjson waiting $waiting --argjson item "${item:-null}" '
  (if $waiting then "False" else "True" end) as $s
  | (.status.conditions // [] | map(select(.type == "Ready")) | first) as $old
  | {observedGeneration: .metadata.generation, phase: (if $waiting then "Pending" else "Ready" end),
     loadBalancer: (if $item then $item | {id, address} else null end),
     conditions: [{type: "Ready", status: $s, reason: (if $waiting then "DependencyNotFound" else "Done" end),
       lastTransitionTime: (if $old.status == $s then $old.lastTransitionTime else (now | floor | strftime("%Y-%m-%dT%H:%M:%SZ")) end)}]}' <<<"$app")
if [ "$(jq --argjson s "$status" '(.status // {}) as $have | [$s | to_entries[] | $have[.key] == .value] | all' <<<"$app")" = false ]; then
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\": $status}" >&2 || fail "cannot write status"
fi
[ -z "$ref" ] || echo '{"requeueAfter": "30s"}'
exit 0
