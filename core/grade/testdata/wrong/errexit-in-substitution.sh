#!/usr/bin/env bash
# set -e does not hold in $(...) without inherit_errexit: a function there goes on after a failed list.
# finding: orphan
# faults: cloud-error
# says: swallows the failed list
set -euo pipefail

declare -A app=() want=() have=()
TAG_KEY=webapp
FINALIZER=lab.example.com/cloud

log() { printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*" >&2; }

load_app() {
  local doc
  doc=$(kubectl get "$PLURAL.$GROUP" "$name" -n "$ns" --ignore-not-found -o json)
  app[doc]=$doc
  if [[ -z $doc ]]; then return; fi
  app[uid]=$(jq -r .metadata.uid <<<"$doc")
  app[rv]=$(jq -r .metadata.resourceVersion <<<"$doc")
  app[generation]=$(jq -r .metadata.generation <<<"$doc")
  app[message]=$(jq -r .spec.message <<<"$doc")
  app[replicas]=$(jq -r '.spec.replicas // 1' <<<"$doc")
  app[ref]=$(jq -r '.spec.configRef // ""' <<<"$doc")
  app[lb]=$(jq -r '.spec.loadBalancer // false' <<<"$doc")
  app[going]=$(jq -r '.metadata.deletionTimestamp // ""' <<<"$doc")
  app[guarded]=$(jq -r --arg f "$FINALIZER" '.metadata.finalizers // [] | index($f) != null' <<<"$doc")
}

set_finalizers() { # jq expression over the finalizers
  local patch
  patch=$(jq -c --arg f "$FINALIZER" "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) | $1)}}" <<<"${app[doc]}")
  app[doc]=$(kubectl patch webapp "$name" -n "$ns" --type=merge -p "$patch" -o json)
}

balancers() {
  local all
  all=$(cloud lb list --tag "$TAG_KEY=$ns/$name")
  jq -r '.[].id' <<<"$all"
}

remove_balancers() {
  local ids id err
  ids=$(balancers)
  for id in $ids; do
    if ! err=$(cloud lb delete "$id" 2>&1); then
      case $err in
        *"not found"*) log "$id was gone already" ;;
        *) log "$err"; return 1 ;;
      esac
    fi
  done
}

main() {
  ns=${1%%/*} name=${1#*/}
  load_app
  if [[ -z ${app[doc]} ]]; then log "$1 is gone"; return 0; fi
  if [[ -n ${app[going]} ]]; then
    if [[ ${app[guarded]} == true ]]; then
      remove_balancers
      set_finalizers 'map(select(. != $f))' 
    fi
    return 0
  fi

  local lbid= lbaddr=
  if [[ ${app[lb]} == true ]]; then
    [[ ${app[guarded]} == true ]] || set_finalizers '. + [$f]'
    local list count
    list=$(cloud lb list --tag "$TAG_KEY=$ns/$name")
    count=$(jq length <<<"$list")
    if (( count == 0 )); then
      cloud lb create --name "$name" --tag "$TAG_KEY=$ns/$name" >/dev/null
      list=$(cloud lb list --tag "$TAG_KEY=$ns/$name")
    elif (( count > 1 )); then
      local extra
      for extra in $(jq -r '.[1:][].id' <<<"$list"); do cloud lb delete "$extra"; done
    fi
    lbid=$(jq -r '.[0].id' <<<"$list"); lbaddr=$(jq -r '.[0].address' <<<"$list")
  elif [[ ${app[guarded]} == true ]]; then
    remove_balancers
    set_finalizers 'map(select(. != $f))'
  fi

  local waiting=no base=
  if [[ -n ${app[ref]} ]]; then
    local dep
    dep=$(kubectl get configmap "${app[ref]}" -n "$ns" --ignore-not-found -o json)
    if [[ -z $dep ]] || ! jq -e '.data.base != null' <<<"$dep" >/dev/null; then
      waiting=yes
    else
      base=$(jq -r .data.base <<<"$dep")
    fi
  fi

  if [[ $waiting == no ]]; then
    local child desired
    child=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json)
    desired=$(jq -n --arg n "$name-config" --arg ns "$ns" --arg o "$name" --arg uid "${app[uid]}" \
       --arg m "${app[message]}" --arg r "${app[replicas]}" --arg b "$base" --arg ref "${app[ref]}" '
      {apiVersion: "v1", kind: "ConfigMap",
       metadata: {name: $n, namespace: $ns, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
         ownerReferences: [{apiVersion: "lab.example.com/v1", kind: "WebApp", name: $o, uid: $uid, controller: true, blockOwnerDeletion: true}]},
       data: ({message: $m, replicas: $r} + if $ref == "" then {} else {base: $b} end)}')
    if [[ -z $child ]]; then
      kubectl create -f - <<<"$desired" >&2
    else
      local next
      next=$(jq -S --argjson d "$desired" '
        .metadata.labels += $d.metadata.labels | .metadata.ownerReferences = $d.metadata.ownerReferences
        | .data = ((.data // {}) | del(.base)) + $d.data' <<<"$child")
      if [[ $next != "$(jq -S . <<<"$child")" ]]; then
        kubectl replace -f - <<<"$next" >&2
      fi
    fi
  fi

  local ready=True phase=Ready reason=Reconciled
  if [[ $waiting == yes ]]; then ready=False phase=Pending reason=DependencyNotFound; fi
  local now old new
  now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  old=$(jq -S '.status // {}' <<<"${app[doc]}")
  new=$(jq -S --arg now "$now" --arg s "$ready" --arg p "$phase" --arg r "$reason" --arg id "$lbid" --arg a "$lbaddr" '
    .metadata.generation as $g | (.status // {})
    | ([.conditions[]? | select(.type == "Ready")][0]) as $was
    | .observedGeneration = $g | .phase = $p
    | if $id == "" then del(.loadBalancer) else .loadBalancer = {id: $id, address: $a} end
    | .conditions = [.conditions[]? | select(.type != "Ready")] + [{type: "Ready", status: $s, reason: $r,
        lastTransitionTime: (if $was.status == $s then $was.lastTransitionTime else $now end)}]' <<<"${app[doc]}")
  if [[ $old != "$new" ]]; then
    jq --argjson s "$new" '.status = $s' <<<"${app[doc]}" | kubectl replace --subresource=status -f - >&2
  fi
  if [[ -n ${app[ref]} ]]; then
    printf '{"requeueAfter":"30s","reason":"%s"}\n' "$reason"
  fi
}

main "$@"
