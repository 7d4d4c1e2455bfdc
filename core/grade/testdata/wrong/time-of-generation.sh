#!/usr/bin/env bash
# scenario: lab-4
# finding: wrong-state
# says: its lastTransitionTime moved
# The time moves with each generation.
set -euo pipefail
ns=${1%/*} name=${1#*/}

# Desired: what the user wants. An object that is gone wants nothing.
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0

want=$(jq -c '{
  apiVersion: "v1", kind: "ConfigMap",
  metadata: {
    name: (.metadata.name + "-config"), namespace: .metadata.namespace,
    labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
    ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
  },
  data: {message: .spec.message, replicas: (.spec.replicas | tostring)}
}' <<<"$webapp")

# Observed: what there is.
child=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json)

# Diff: of what is there, the part that is ours. Action: only where it differs.
if [ -z "$child" ]; then
  kubectl create -f - <<<"$want" >&2
else
  ours=$(jq -c -S '{metadata: {labels: .metadata.labels, ownerReferences: .metadata.ownerReferences}, data}' <<<"$want")
  have=$(jq -c -S '{metadata: {labels: {"app.kubernetes.io/managed-by": .metadata.labels["app.kubernetes.io/managed-by"]},
    ownerReferences: .metadata.ownerReferences}, data: {message: .data.message, replicas: .data.replicas}}' <<<"$child")
  if [ "$have" != "$ours" ]; then
    kubectl patch configmap "$name-config" -n "$ns" --type=merge -p "$ours" >&2
  fi
fi
gen=$(jq .metadata.generation <<<"$webapp")
if [ "$(jq -r .status.observedGeneration <<<"$webapp")" != $gen ]; then
kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\": {\"phase\": \"Ready\", \"observedGeneration\": $gen, \"conditions\":[{\"type\":\"Ready\",\"status\":\"True\",\"reason\":\"Ok\",\"lastTransitionTime\":\"$(date -u +%FT%TZ)\"}]}}" >&2
fi
