#!/usr/bin/env bash
# Reads the WebApp and what belongs to it, compares, and writes what differs.
set -euo pipefail
shopt -s inherit_errexit

key=$1 ns=${1%%/*} name=${1##*/}
finalizer=lab.example.com/cloud

app=$(kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found)
[[ -n $app ]] || exit 0

get() { jq -r "$1" <<< "$app"; }

# Puts the finalizer on, or takes it off, and nothing else: the test fails where
# someone else was faster.
set_finalizers() {
  local patch
  patch=$(jq -c --arg f "$finalizer" "
    [{op: \"test\", path: \"/metadata/resourceVersion\", value: .metadata.resourceVersion},
     {op: \"add\", path: \"/metadata/finalizers\", value: ((.metadata.finalizers // []) $1 [\$f])}]" <<< "$app")
  app=$(kubectl patch webapp "$name" -n "$ns" --type=json -p "$patch" -o json)
}

remove_balancers() {
  local list id out
  list=$(cloud lb list --tag "webapp=$key")
  for id in $(jq -r '.[].id' <<< "$list"); do
    out=$(cloud lb delete "$id" 2>&1) || [[ $out == "not found:"* ]] || { echo "$out" >&2; return 1; }
  done
}

guarded=$(jq --arg f "$finalizer" '.metadata.finalizers // [] | any(. == $f)' <<< "$app")

if [[ $(get '.metadata.deletionTimestamp') != null ]]; then
  if [[ $guarded == true ]]; then
    remove_balancers
    set_finalizers -
  fi
  exit 0
fi

# The load balancer.
lb=null
if [[ $(get '.spec.loadBalancer') == true ]]; then
  [[ $guarded == true ]] || set_finalizers +
  list=$(cloud lb list --tag "webapp=$key")
  lb=$(jq -c '.[0] // empty' <<< "$list")
  [[ -n $lb ]] || lb=$(cloud lb create --name "$name" --tag "webapp=$key")
  for id in $(jq -r '.[1:][].id' <<< "$list"); do cloud lb delete "$id"; done
  lb=$(jq -c '{id, address}' <<< "$lb")
elif [[ $guarded == true ]]; then
  remove_balancers
  set_finalizers -
fi

# The dependency.
phase=Ready ready=True reason=Reconciled base=null
ref=$(get '.spec.configRef // empty')
if [[ -n $ref ]]; then
  shared=$(kubectl get configmap "$ref" -n "$ns" -o json --ignore-not-found)
  base=$(jq -c '.data.base' <<< "${shared:-null}")
  if [[ $base == null ]]; then
    phase=Pending ready=False reason=DependencyNotFound
  fi
fi

# The child.
if [[ $ready == True ]]; then
  want=$(jq -c --argjson base "$base" '{
    metadata: {
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: {message: .spec.message, replicas: (.spec.replicas | tostring), base: $base}}' <<< "$app")
  have=$(kubectl get configmap "$name-config" -n "$ns" -o json --ignore-not-found)
  if [[ -z $have ]]; then
    jq -c --arg name "$name-config" --arg ns "$ns" '
      del(.data.base | nulls) | .metadata += {name: $name, namespace: $ns} | . + {apiVersion: "v1", kind: "ConfigMap"}' <<< "$want" |
      kubectl create -f - > /dev/null
  else
    same=$(jq --argjson want "$want" '
      .metadata.labels["app.kubernetes.io/managed-by"] == "reconcile-lab"
      and .metadata.ownerReferences == $want.metadata.ownerReferences
      and (.data | {message, replicas, base}) == $want.data' <<< "$have")
    [[ $same == true ]] || kubectl patch configmap "$name-config" -n "$ns" --type=merge -p "$want" > /dev/null
  fi
fi

# The status: the time moves only with the condition.
status=$(jq -c --arg phase "$phase" --arg ready "$ready" --arg reason "$reason" --argjson lb "$lb" '
  (.status.conditions // []) as $old
  | (($old[] | select(.type == "Ready" and .status == $ready) | .lastTransitionTime) // "now") as $since
  | {observedGeneration: .metadata.generation, phase: $phase, loadBalancer: $lb,
     conditions: (($old | map(select(.type != "Ready")))
       + [{type: "Ready", status: $ready, reason: $reason, lastTransitionTime: $since}])}' <<< "$app")
same=$(jq --argjson want "$status" '(.status // {}) | {observedGeneration, phase, loadBalancer, conditions} == $want' <<< "$app")
if [[ $same != true ]]; then
  status=${status//'"now"'/"\"$(date -u +%FT%TZ)\""}
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":$status}" > /dev/null
fi

[[ -z $ref ]] || echo "{\"requeueAfter\":\"30s\",\"reason\":\"$reason\"}"
