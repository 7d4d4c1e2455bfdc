#!/bin/bash
# Server-side apply of the child and of status, every time: the server knows what
# differs.
set -eu -o pipefail
shopt -s inherit_errexit

ns="${1%%/*}" name="${1##*/}"
k() { kubectl -n "$ns" "$@"; }

obj="$(k get webapps.lab.example.com "$name" --ignore-not-found -o json)"
[ -n "$obj" ] || exit 0
get() { printf '%s' "$obj" | jq -r "$@"; }

deleting=$(get '.metadata.deletionTimestamp // empty')
wants=$(get '.spec.loadBalancer // false')
ref=$(get '.spec.configRef // empty')

finalizers() { # finalizers EXPRESSION: the list is what the expression makes of it
  get -c "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: (.metadata.finalizers // [] | $1)}}" >patch
  k patch webapp "$name" --type merge --patch-file patch >&2
}

if [ -n "$deleting" ] || [ "$wants" != true ]; then
  if get -e '.metadata.finalizers // [] | any(. == "lab.example.com/cloud")' >/dev/null; then
    lbs=$(cloud lb list --tag "webapp=$1")
    while read -r id; do
      [ -n "$id" ] || continue
      err=$(cloud lb delete "$id" 2>&1) || case "$err" in *"not found"*) : ;; *) echo "$err" >&2; exit 1 ;; esac
    done < <(jq -r '.[].id' <<<"$lbs")
    finalizers '. - ["lab.example.com/cloud"]'
  fi
  [ -z "$deleting" ] || exit 0
fi

id='' address=''
if [ "$wants" = true ]; then
  get -e '.metadata.finalizers // [] | any(. == "lab.example.com/cloud")' >/dev/null ||
    finalizers '. + ["lab.example.com/cloud"]'
  lb=$(cloud lb list --tag "webapp=$1" | jq -c '.[0] // empty')
  [ -n "$lb" ] || lb=$(cloud lb create --name "$name" --tag "webapp=$1")
  id=$(jq -r .id <<<"$lb") address=$(jq -r .address <<<"$lb")
fi

reason=Reconciled ready=True phase=Ready base=
if [ -n "$ref" ]; then
  dep=$(k get configmap "$ref" --ignore-not-found -o json)
  if [ -z "$dep" ] || ! base=$(jq -re .data.base <<<"$dep"); then
    reason=DependencyNotFound ready=False phase=Pending
  fi
fi

if [ $ready = True ]; then
  get --arg base "$base" --arg ref "$ref" '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: "\(.metadata.name)-config", namespace: .metadata.namespace,
    labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
    ownerReferences: [{apiVersion: .apiVersion, kind: .kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: "\(.spec.replicas)"} + (if $ref == "" then {} else {base: $base} end))}' |
    k apply --server-side --force-conflicts --field-manager=lab -f - >&2
fi

since=$(get --arg s $ready '[.status.conditions[]? | select(.type == "Ready" and .status == $s) | .lastTransitionTime][0] // empty')
[ -n "$since" ] || since=$(date -u +%FT%TZ)
jq -n --arg name "$name" --arg ns "$ns" --arg phase $phase --arg ready $ready --arg reason $reason --arg since "$since" \
  --argjson gen "$(get .metadata.generation)" --arg id "$id" --arg address "$address" '{
  apiVersion: "lab.example.com/v1", kind: "WebApp", metadata: {name: $name, namespace: $ns},
  status: ({observedGeneration: $gen, phase: $phase,
    conditions: [{type: "Ready", status: $ready, reason: $reason, message: "", lastTransitionTime: $since}]}
    + (if $id == "" then {} else {loadBalancer: {id: $id, address: $address}} end))}' |
  k apply --server-side --force-conflicts --field-manager=lab --subresource=status -f - >&2

[ -z "$ref" ] || jq -nc --arg r "$reason" '{requeueAfter: "30s", reason: $r}'
