#!/usr/bin/env bash
# finding: foreign-write
# says: deleted
# Deletes every balancer that it sees, whoever it is for.
set -Eeuo pipefail

readonly FINALIZER="lab.example.com/cloud"
readonly LABEL="app.kubernetes.io/managed-by"
readonly MANAGER="reconcile-lab"
readonly RETRY="30s"

log() { printf '%s [%s] %s\n' "$(date -u +%T)" "$KEY" "$*" >&2; }
fail() { log "error: $*"; exit 1; }
on_error() { log "line $1 failed with $2"; }
trap 'on_error "$LINENO" "$?"' ERR
trap 'rm -f "$WORK"/*.json' EXIT

webapp() { jq -r "$1" "$WORK/webapp.json"; }

read_webapp() {
  kubectl get webapps "$NAME" --namespace "$NAMESPACE" --ignore-not-found --output json >"$WORK/webapp.json"
}

has_finalizer() { [[ "$(webapp ".metadata.finalizers // [] | contains([\"$FINALIZER\"])")" == "true" ]]; }
is_deleted() { [[ "$(webapp '.metadata.deletionTimestamp // "no"')" != "no" ]]; }
wants_balancer() { [[ "$(webapp '.spec.loadBalancer')" == "true" ]]; }

write_finalizers() {
  local filter=$1 body
  body=$(jq -c "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) $filter)}}" "$WORK/webapp.json")
  kubectl patch webapps "$NAME" --namespace "$NAMESPACE" --type merge --patch "$body" --output json >"$WORK/new.json"
  mv "$WORK/new.json" "$WORK/webapp.json"
}

list_balancers() { cloud lb list --tag "webapp=$KEY" >"$WORK/lbs.json"; }
list_all() { cloud lb list >"$WORK/lbs.json"; }

delete_balancers() {
  local id message
  list_all
  for id in $(jq -r '.[].id' "$WORK/lbs.json"); do
    log "deleting $id"
    if ! message=$(cloud lb delete "$id" 2>&1); then
      [[ "$message" == *"not found"* ]] || fail "$message"
    fi
  done
}

ensure_balancer() {
  has_finalizer || write_finalizers "+ [\"$FINALIZER\"]"
  list_balancers
  if [[ "$(jq 'length' "$WORK/lbs.json")" == "0" ]]; then
    log "creating a load balancer"
    cloud lb create --name "$NAME" --tag "webapp=$KEY" >"$WORK/lb.json"
  else
    jq '.[0]' "$WORK/lbs.json" >"$WORK/lb.json"
  fi
}

ensure_no_balancer() {
  echo null >"$WORK/lb.json"
  if has_finalizer; then
    delete_balancers
    write_finalizers "- [\"$FINALIZER\"]"
  fi
}

read_base() {
  local ref
  ref=$(webapp '.spec.configRef // ""')
  echo null >"$WORK/base.json"
  [[ -n "$ref" ]] || return 0
  REQUEUE=yes
  kubectl get configmap "$ref" --namespace "$NAMESPACE" --ignore-not-found --output json >"$WORK/dep.json"
  if [[ -s "$WORK/dep.json" ]]; then
    jq '.data.base' "$WORK/dep.json" >"$WORK/base.json"
  fi
  if [[ "$(cat "$WORK/base.json")" == "null" ]]; then
    log "$ref has no base yet"
    WAITING=yes
  fi
}

wanted_child() {
  jq --slurpfile base "$WORK/base.json" --arg label "$LABEL" --arg manager "$MANAGER" '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: (.metadata.name + "-config"), namespace: .metadata.namespace, labels: {($label): $manager},
      ownerReferences: [{apiVersion: .apiVersion, kind: .kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
    },
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + if $base[0] == null then {} else {base: $base[0]} end)
  }' "$WORK/webapp.json"
}

ensure_child() {
  [[ "$WAITING" == "no" ]] || return 0
  wanted_child >"$WORK/want.json"
  kubectl get configmap "$NAME-config" --namespace "$NAMESPACE" --ignore-not-found --output json >"$WORK/have.json"
  if [[ ! -s "$WORK/have.json" ]]; then
    log "creating the child"
    kubectl create --filename "$WORK/want.json" >&2
  elif ! same_child; then
    log "the child differs"
    kubectl patch configmap "$NAME-config" --namespace "$NAMESPACE" --type merge --patch "$(child_patch)" >&2
  fi
}

same_child() {
  jq -e -n --slurpfile want "$WORK/want.json" --slurpfile have "$WORK/have.json" --arg label "$LABEL" '
    $want[0] as $w | $have[0] as $h
    | $h.metadata.labels[$label] == $w.metadata.labels[$label]
      and $h.metadata.ownerReferences == $w.metadata.ownerReferences
      and ($h.data | {message, replicas, base}) == ($w.data | {message, replicas, base})' >/dev/null
}

child_patch() {
  jq -c '{metadata: {labels: .metadata.labels, ownerReferences: .metadata.ownerReferences}, data: (.data | {message, replicas, base})}' "$WORK/want.json"
}

ensure_status() {
  jq -c --slurpfile lb "$WORK/lb.json" --arg waiting "$WAITING" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
    (if $waiting == "yes" then {s: "False", p: "Pending", r: "DependencyNotFound", m: "waiting"} else {s: "True", p: "Ready", r: "Available", m: "all is there"} end) as $x
    | (.status.conditions // [] | map(select(.type == "Ready")) | first) as $old
    | {observedGeneration: .metadata.generation, phase: $x.p,
       loadBalancer: ($lb[0] | if . == null then null else {id, address} end),
       conditions: ((.status.conditions // [] | map(select(.type != "Ready"))) + [{type: "Ready", status: $x.s, reason: $x.r, message: $x.m,
         observedGeneration: .metadata.generation,
         lastTransitionTime: (if $old != null and $old.status == $x.s then $old.lastTransitionTime else $now end)}])}
    | del(.loadBalancer | nulls)' "$WORK/webapp.json" >"$WORK/status.json"
  if [[ "$(jq -cS '.status // {}' "$WORK/webapp.json")" != "$(jq -cS . "$WORK/status.json")" ]]; then
    jq -c '{status: (. + (if .loadBalancer then {} else {loadBalancer: null} end))}' "$WORK/status.json" >"$WORK/patch.json"
    kubectl patch webapps "$NAME" --namespace "$NAMESPACE" --subresource status --type merge --patch-file "$WORK/patch.json" >&2
  fi
}

main() {
  KEY=$1 NAMESPACE=${1%%/*} NAME=${1##*/}
  WORK=$(mktemp -d)
  REQUEUE=no WAITING=no
  read_webapp
  if [[ ! -s "$WORK/webapp.json" ]]; then
    log "gone"
    return 0
  fi
  if is_deleted; then
    ensure_no_balancer
    return 0
  fi
  if wants_balancer; then ensure_balancer; else ensure_no_balancer; fi
  read_base
  ensure_child
  ensure_status
  if [[ "$REQUEUE" == "yes" ]]; then
    echo "{\"requeueAfter\": \"$RETRY\", \"reason\": \"Watching\"}"
  fi
}

main "$@"
