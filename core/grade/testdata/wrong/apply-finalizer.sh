#!/usr/bin/env bash
# Applies the finalizer alone, by a manager of its own; kubectl gives that what was applied before, and so it cannot let go.
# finding: stuck-deletion
# says: spec.message: Required value
set -euo pipefail
shopt -s inherit_errexit
IFS=/ read -r NS NAME <<<"$1"
ssa() { kubectl apply --server-side --force-conflicts --field-manager="$1" "${@:2}" -f - >&2; }

app=$(kubectl get wa "$NAME" -n "$NS" -o json --ignore-not-found)
[[ $app ]] || exit 0
tag="webapp=$NS/$NAME"

drop_cloud() {
  local ids id msg
  ids=$(cloud lb list --tag "$tag" | jq -r '.[].id')
  for id in $ids; do
    msg=$(cloud lb delete "$id" 2>&1 >/dev/null) || { [[ $msg == *"not found"* ]] || { echo "$msg" >&2; exit 1; }; }
  done
}
# what this field manager applies to the WebApp: its finalizer, or nothing
guard() {
  jq --argjson on "$1" '{apiVersion, kind, metadata: ({name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid}
     + if $on then {finalizers: ["lab.example.com/cloud"]} else {} end)}' <<<"$app" | ssa webapp-guard
}
guarded=$(jq '[.metadata.finalizers[]?] | index("lab.example.com/cloud") != null' <<<"$app")

if jq -e '.metadata.deletionTimestamp' <<<"$app" >/dev/null; then
  if [[ $guarded == true ]]; then
    drop_cloud
    guard false
  fi
  exit 0
fi

lb='{}'
if [[ $(jq .spec.loadBalancer <<<"$app") == true ]]; then
  if [[ $guarded != true ]]; then guard true; fi
  lb=$(cloud lb list --tag "$tag" | jq '.[0] // {}')
  if [[ $lb == '{}' ]]; then lb=$(cloud lb create --name "$NAME" --tag "$tag"); fi
elif [[ $guarded == true ]]; then
  drop_cloud
  guard false
fi

ref=$(jq -r '.spec.configRef // ""' <<<"$app")
base=null
if [[ $ref ]]; then
  base=$(kubectl get cm "$ref" -n "$NS" -o json --ignore-not-found | jq '.data.base')
  base=${base:-null}
fi
if [[ -z $ref || $base != null ]]; then
  ok=True
  jq --argjson base "$base" '{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: "\(.metadata.name)-config", namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: "\(.spec.replicas)"} + if $base == null then {} else {base: $base} end)}' <<<"$app" | ssa webapp
else
  ok=False
fi

jq --arg ok $ok --argjson lb "$lb" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  [.status.conditions[]? | select(.type == "Ready")][0] as $was
  | {apiVersion, kind, metadata: {name: .metadata.name, namespace: .metadata.namespace, uid: .metadata.uid},
     status: ({observedGeneration: .metadata.generation, phase: (if $ok == "True" then "Ready" else "Pending" end),
      conditions: [{type: "Ready", status: $ok, reason: (if $ok == "True" then "AsDesired" else "DependencyNotFound" end),
        lastTransitionTime: (if $was.status == $ok then $was.lastTransitionTime else $now end)}]}
      + if $lb == {} then {} else {loadBalancer: ($lb | {id, address})} end)}' <<<"$app" |
  ssa webapp --subresource=status

if [[ $ref ]]; then
  jq -nc --arg ok $ok '{requeueAfter: "30s"} + if $ok == "False" then {reason: "DependencyNotFound"} else {} end'
fi
