#!/bin/bash
# Every write is a read, a change of the whole object and a replace, tried again
# on a conflict.
set -uo pipefail
ns=${1%/*}
name=${1#*/}

die() { echo "$*" >&2; exit 1; }

# update KIND NAME FILTER [FLAG]: changes an object by a jq filter, at most five times.
update() {
  local kind=$1 object=$2 filter=$3 now new out
  shift 3
  for _ in 1 2 3 4 5; do
    now=$(kubectl get "$kind" "$object" -n "$ns" --ignore-not-found -o json) || die "cannot read $kind $object"
    [ -n "$now" ] || return 0
    new=$(jq "${jqargs[@]}" "$filter" <<<"$now") || die "cannot make the new $object"
    if [ "$(jq -S . <<<"$now")" = "$(jq -S . <<<"$new")" ]; then return 0; fi
    if out=$(kubectl replace "$@" -f - <<<"$new" 2>&1); then
      echo "$out" >&2
      return 0
    fi
    case $out in
      *Conflict*) echo "conflict, once more" >&2; sleep 0.2 ;;
      *NotFound*) return 0 ;;
      *) die "$out" ;;
    esac
  done
  die "too many conflicts"
}

app=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json) || die "cannot read $1"
[ -n "$app" ] || exit 0
jqargs=()
deleted=$(jq '.metadata.deletionTimestamp != null' <<<"$app")
wants=$(jq '.spec.loadBalancer' <<<"$app")
guarded=$(jq '.metadata.finalizers // [] | any(. == "lab.example.com/cloud")' <<<"$app")

lb=null
if [ "$deleted" = false ] && [ "$wants" = true ]; then
  if [ "$guarded" = false ]; then
    update webapp "$name" 'if .metadata.deletionTimestamp then . else .metadata.finalizers = (.metadata.finalizers // []) + ["lab.example.com/cloud"] end'
    app=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json) || die "cannot read $1"
    if [ -z "$app" ] || [ "$(jq '.metadata.deletionTimestamp == null and (.metadata.finalizers // [] | any(. == "lab.example.com/cloud"))' <<<"$app")" = false ]; then
      echo '{"requeueAfter": "1s", "reason": "Changed"}'
      exit 0
    fi
  fi
  have=$(cloud lb list --tag "webapp=$1") || die "cannot list"
  lb=$(jq '.[0]' <<<"$have")
  if [ "$lb" = null ]; then
    lb=$(cloud lb create --name "$name" --tag "webapp=$1") || die "cannot create"
  fi
elif [ "$guarded" = true ]; then
  have=$(cloud lb list --tag "webapp=$1") || die "cannot list"
  for id in $(jq -r '.[].id' <<<"$have"); do
    if ! out=$(cloud lb delete "$id" 2>&1); then
      [[ $out == "not found"* ]] || die "$out"
    fi
  done
  update webapp "$name" '.metadata.finalizers -= ["lab.example.com/cloud"]'
fi
[ "$deleted" = false ] || exit 0

ref=$(jq -r '.spec.configRef // ""' <<<"$app")
base=null
if [ -n "$ref" ]; then
  dep=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o json) || die "cannot read $ref"
  [ -z "$dep" ] || base=$(jq .data.base <<<"$dep")
fi
wait=false
if [ -n "$ref" ] && [ "$base" = null ]; then wait=true; fi
jqargs=(--argjson app "$app" --argjson base "$base" --argjson wait "$wait" --argjson lb "$lb" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)")

fill='.metadata.labels["app.kubernetes.io/managed-by"] = "reconcile-lab"
  | .metadata.ownerReferences = [{apiVersion: $app.apiVersion, kind: $app.kind, name: $app.metadata.name, uid: $app.metadata.uid, controller: true, blockOwnerDeletion: true}]
  | .data.message = $app.spec.message | .data.replicas = ($app.spec.replicas | tostring)
  | if $base == null then del(.data.base) else .data.base = $base end'
if [ $wait = false ]; then
  child=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json) || die "cannot read the child"
  if [ -z "$child" ]; then
    jq -n "${jqargs[@]}" '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: ($app.metadata.name + "-config"), namespace: $app.metadata.namespace}} | '"$fill" |
      kubectl create -f - >&2 || die "cannot create the child"
  else
    update configmap "$name-config" "$fill"
  fi
fi
update webapp "$name" '
  if .metadata.uid != $app.metadata.uid then . else
  (if $wait then ["False", "Pending", "DependencyNotFound"] else ["True", "Ready", "Reconciled"] end) as $s
  | .status.observedGeneration = $app.metadata.generation
  | .status.phase = $s[1]
  | if $lb then .status.loadBalancer = ($lb | {id, address}) else del(.status.loadBalancer) end
  | .status.conditions = [(.status.conditions // [])[] | select(.type != "Ready")] + [
      ([.status.conditions[]? | select(.type == "Ready" and .status == $s[0])][0] // {lastTransitionTime: $now})
      + {type: "Ready", status: $s[0], reason: $s[2]}]
  end' --subresource=status
if [ -n "$ref" ]; then echo '{"requeueAfter": "1m", "reason": "DependencyWatched"}'; fi
