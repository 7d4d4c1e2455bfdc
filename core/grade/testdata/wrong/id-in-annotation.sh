#!/usr/bin/env bash
# finding: duplicate
# faults: crash-after,cloud-lost-reply
# says: look for it by its tag
# Knows its balancer by an annotation that is written after it was made.
set -euo pipefail
ns=${1%/*} name=${1#*/}
done_for_now() { echo '{"requeueAfter":"60s","reason":"Routine"}'; exit 0; }

o=$(kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found)
[[ -n $o ]] || exit 0
j() { jq "$@" <<<"$o"; }
rv() { j -r .metadata.resourceVersion; }
take() { o=$(kubectl patch webapp "$name" -n "$ns" --type=merge -o json -p "$1"); }
status() { # status JSON: sent where it differs
  if [[ $(j -cS '.status // {} | del(.loadBalancer | nulls)') != "$(jq -cS 'del(.loadBalancer | nulls)' <<<"$1")" ]]; then
    o=$(kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -o json -p "{\"status\":$1}")
  fi
}

if [[ $(j '.metadata.deletionTimestamp != null') == true ]]; then
  if [[ $(j '[.metadata.finalizers[]?] | any(. == "lab.example.com/cloud")') == true ]]; then
    status "$(j -c '.status // {} | .phase = "Terminating" | .observedGeneration = $g' --argjson g "$(j .metadata.generation)")"
    left=$(cloud lb list --tag "webapp=$1")
    for id in $(jq -r '.[].id' <<<"$left"); do
      err=$(cloud lb delete "$id" 2>&1) || [[ $err == not\ found:* ]] || { echo "$err"; exit 1; } >&2
    done
    take "$(j -c '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: (.metadata.finalizers - ["lab.example.com/cloud"])}}')"
  fi
  exit 0
fi

lb=null
if [[ $(j .spec.loadBalancer) == true ]]; then
  if [[ $(j '[.metadata.finalizers[]?] | any(. == "lab.example.com/cloud")') == false ]]; then
    take "$(j -c '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) + ["lab.example.com/cloud"])}}')"
  fi
  all=[]
  known=$(j -r '.metadata.annotations["lab.example.com/balancer"] // ""')
  if [[ -n $known ]]; then all=$(cloud lb get "$known" | jq -s .); fi
  if [[ -z $known ]]; then
    sleep 1
    all=$(cloud lb create --name "$name" --tag "webapp=$1" | jq -s .)
  fi
  lb=$(jq -c '.[0] | {id, address}' <<<"$all")
  if [[ $(j -r '.metadata.annotations["lab.example.com/balancer"] // ""') != "$(jq -r .id <<<"$lb")" ]]; then
    kubectl annotate webapp "$name" -n "$ns" --overwrite "lab.example.com/balancer=$(jq -r .id <<<"$lb")" >&2
  fi
elif [[ $(j '[.metadata.finalizers[]?] | any(. == "lab.example.com/cloud")') == true ]]; then
  left=$(cloud lb list --tag "webapp=$1")
  for id in $(jq -r '.[].id' <<<"$left"); do
    err=$(cloud lb delete "$id" 2>&1) || [[ $err == not\ found:* ]] || { echo "$err"; exit 1; } >&2
  done
  kubectl annotate webapp "$name" -n "$ns" lab.example.com/balancer- >&2
  o=$(kubectl get webapp "$name" -n "$ns" -o json)
  take "$(j -c '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: (.metadata.finalizers - ["lab.example.com/cloud"])}}')"
fi

ref=$(j -r '.spec.configRef // empty')
found=true base=null
if [[ -n $ref ]]; then
  found=false
  config=$(kubectl get configmap "$ref" -n "$ns" -o json --ignore-not-found)
  if [[ -n $config ]] && [[ $(jq '.data | has("base")' <<<"$config") == true ]]; then found=true base=$(jq .data.base <<<"$config"); fi
fi

if [[ $found == true ]]; then
  j -c --argjson base "$base" '{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: "\(.metadata.name)-config", namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab", "app.kubernetes.io/instance": .metadata.name},
      annotations: {"lab.example.com/note": "made from \(.metadata.name)"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: "\(.spec.replicas)", note: "do not edit"} + if $base then {base: $base} else {} end)}' |
    kubectl apply --server-side --force-conflicts --field-manager=webapp-controller -f - >&2
fi

now=$(date -u +%FT%TZ)
status "$(j -c --argjson found "$found" --argjson lb "$lb" --arg now "$now" '
  def since($type; $s): [.status.conditions[]? | select(.type == $type and .status == $s).lastTransitionTime][0] // $now;
  (if $found then "True" else "False" end) as $s
  | {observedGeneration: .metadata.generation, phase: (if $found then "Ready" else "Pending" end), loadBalancer: $lb,
     conditions: [
       {type: "DependencyFound", status: $s, reason: (if $found then "Found" else "NotFound" end), message: "", lastTransitionTime: since("DependencyFound"; $s)},
       {type: "Ready", status: $s, reason: (if $found then "AsDesired" else "DependencyNotFound" end), message: "", lastTransitionTime: since("Ready"; $s)}]}')"
done_for_now
