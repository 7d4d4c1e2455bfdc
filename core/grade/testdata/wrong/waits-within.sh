#!/usr/bin/env bash
# Waits within the pass until what it depends on is there.
# finding: no-requeue
# says: waits within itself
set -euo pipefail
ns=${1%%/*} name=${1##*/}
again() { echo "{\"requeueAfter\":\"1s\",\"reason\":\"$1\"}"; exit 0; }

app=$(kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found)
[[ -n $app ]] || exit 0
lbs=$(cloud lb list --tag "webapp=$ns/$name")
nlbs=$(jq length <<<"$lbs")
guarded=$(jq 'any(.metadata.finalizers[]?; . == "lab.example.com/cloud")' <<<"$app")
going=$(jq '.metadata.deletionTimestamp != null' <<<"$app")
wanted=$(jq '.spec.loadBalancer == true' <<<"$app")
ref=$(jq -r '.spec.configRef // empty' <<<"$app")

finalizers() {
  local p
  p=$(jq -c "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) $1 [\"lab.example.com/cloud\"])}}" <<<"$app")
  kubectl patch webapp "$name" -n "$ns" --type=merge -p "$p" >&2
}

if [[ $guarded == true && ( $going == true || $wanted == false ) ]]; then
  if (( nlbs > 0 )); then
    id=$(jq -r '.[0].id' <<<"$lbs")
    if ! out=$(cloud lb delete "$id" 2>&1); then
      grep -q "^not found: " <<<"$out" || { echo "$out" >&2; exit 1; }
    fi
    again Deleting
  fi
  finalizers -
  again Released
fi
if [[ $going == true ]]; then exit 0; fi

if [[ $wanted == true ]]; then
  if [[ $guarded == false ]]; then finalizers +; again Guarded; fi
  if (( nlbs == 0 )); then
    cloud lb create --name "$name" --tag "webapp=$ns/$name" >&2
    again Created
  fi
  if (( nlbs > 1 )); then
    cloud lb delete "$(jq -r 'last.id' <<<"$lbs")"
    again Surplus
  fi
fi

state=Ready
if [[ -n $ref ]]; then
  while dep=$(kubectl get configmap "$ref" -n "$ns" -o json --ignore-not-found) && [[ -z $dep ]]; do sleep 5; done
  if [[ -z $dep || $(jq '.data.base == null' <<<"$dep") == true ]]; then state=Pending; fi
fi
if [[ $state == Ready ]]; then
  child=$(kubectl get configmap "$name-config" -n "$ns" -o json --ignore-not-found)
  want=$(jq -c --argjson dep "${dep:-null}" '{
    label: "reconcile-lab",
    owners: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}],
    message: .spec.message, replicas: (.spec.replicas | tostring), base: (if .spec.configRef then $dep.data.base else null end)}' <<<"$app")
  if [[ -z $child ]]; then
    jq --arg n "$name-config" --arg ns "$ns" '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: $n, namespace: $ns, labels: {"app.kubernetes.io/managed-by": .label}, ownerReferences: .owners},
      data: ({message, replicas, base} | with_entries(select(.value != null)))}' <<<"$want" | kubectl create -f - >&2
    again Made
  fi
  if ! jq -e --argjson w "$want" '. as $c | $w == {label: .metadata.labels["app.kubernetes.io/managed-by"], owners: .metadata.ownerReferences, message: .data.message, replicas: .data.replicas, base: .data.base}' <<<"$child" >/dev/null; then
    jq --argjson w "$want" '.metadata.labels["app.kubernetes.io/managed-by"] = $w.label | .metadata.ownerReferences = $w.owners
      | .data.message = $w.message | .data.replicas = $w.replicas | if $w.base == null then del(.data.base) else .data.base = $w.base end' <<<"$child" | kubectl replace -f - >&2
    again Repaired
  fi
fi

new=$(jq -c --arg state $state --argjson lbs "$lbs" '
  ([.status.conditions[]? | select(.type == "Ready")][0]) as $c
  | (if $state == "Ready" then ["True", "Ready"] else ["False", "DependencyNotFound"] end) as $sr
  | (if .spec.loadBalancer then $lbs[0] | {id, address} else null end) as $lb
  | {observedGeneration: .metadata.generation, phase: $state}
    + (if $lb then {loadBalancer: $lb} else {} end)
    + {conditions: [{type: "Ready", status: $sr[0], reason: $sr[1], lastTransitionTime: (if $c.status == $sr[0] then $c.lastTransitionTime else (now | todate) end)}]}' <<<"$app")
if ! jq -e --argjson n "$new" '.status == $n' <<<"$app" >/dev/null; then
  jq --argjson n "$new" '.status = $n' <<<"$app" | kubectl replace --subresource=status -f - >&2
fi
if [[ -n $ref ]]; then echo '{"requeueAfter":"30s","reason":"'"$([[ $state == Ready ]] && echo Poll || echo DependencyNotFound)"'"}'; fi
