#!/usr/bin/env bash
# scenario: lab-8
# finding: orphan
# faults: cloud-error
# says: cloud lb delete failed
# A delete that failed is as good as one that did not.
set -euo pipefail
ns=${1%/*} name=${1#*/}
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0
held() { jq -e '.metadata.finalizers // [] | index("lab.example.com/cloud") != null' <<<"$webapp" >/dev/null; }
finalizers() {
  kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(jq -c "{metadata: {finalizers: ($1)}}" <<<"$webapp")" >&2
}
there=$(cloud lb list --tag "webapp=$ns/$name")
if [ "$(jq '.metadata.deletionTimestamp != null' <<<"$webapp")" = true ]; then
  held || exit 0
  for id in $(jq -r '.[].id' <<<"$there"); do cloud lb delete "$id" >&2 || true; done
  finalizers '.metadata.finalizers - ["lab.example.com/cloud"]'
  exit 0
fi
lb=null
if [ "$(jq .spec.loadBalancer <<<"$webapp")" = true ]; then
  held || finalizers '(.metadata.finalizers // []) + ["lab.example.com/cloud"]'
  lb=$(jq -c '.[0]' <<<"$there")
  [ "$lb" != null ] || lb=$(cloud lb create --name "$name" --tag "webapp=$ns/$name")
fi
jq '{apiVersion: "v1", kind: "ConfigMap",
    metadata: {name: (.metadata.name + "-config"), namespace: .metadata.namespace, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: {message: .spec.message, replicas: (.spec.replicas | tostring)}}' <<<"$webapp" | kubectl apply -f - >&2
status=$(jq -c --argjson lb "$lb" --arg now "$(date -u +%FT%TZ)" '
 ([.status.conditions[]?|select(.type=="Ready" and .status=="True")|.lastTransitionTime][0] // $now) as $t |
 {observedGeneration: .metadata.generation, phase: "Ready",
  conditions: [{type: "Ready", status: "True", reason: "Checked", lastTransitionTime: $t}]}
  | if $lb then .loadBalancer = ($lb | {id, address}) else . end' <<<"$webapp")
if [ "$(jq -S -c .status <<<"$webapp")" != "$(jq -S -c . <<<"$status")" ]; then
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":$status}" >&2
fi
