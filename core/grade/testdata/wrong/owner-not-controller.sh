#!/usr/bin/env bash
# scenario: lab-1
# finding: wrong-state
# says: has not exactly one ownerReference to WebApp/default/plain
# The reference names the owner, and not as the controller: nobody tells of the child.
set -euo pipefail
ns=${1%/*} name=${1#*/}
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0

if [ -z "$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o name)" ]; then
jq '{apiVersion: "v1", kind: "ConfigMap", metadata: {name: (.metadata.name+"-config"), labels: {"app.kubernetes.io/managed-by": "reconcile-lab"}, ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid}]}, data: {message: .spec.message, replicas: (.spec.replicas|tostring)}}' <<<"$webapp" | kubectl create -f -
fi
