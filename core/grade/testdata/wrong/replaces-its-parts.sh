#!/usr/bin/env bash
# scenario: lab-3
# finding: foreign-write
# says: metadata.labels.team, data.theirs
# What was read is sent back, with all labels and all data its own.
set -euo pipefail
ns=${1%/*} name=${1#*/}
webapp=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o json)
[ -n "$webapp" ] || exit 0
want=$(jq -c "{
  apiVersion: \"v1\", kind: \"ConfigMap\",
  metadata: {
    name: (.metadata.name + \"-config\"), namespace: .metadata.namespace,
    labels: {\"app.kubernetes.io/managed-by\": \"reconcile-lab\"},
    ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]
  },
  data: {message: .spec.message, replicas: (.spec.replicas | tostring)}
}" <<<"$webapp")
child=$(kubectl get configmap "$name-config" -n "$ns" --ignore-not-found -o json)
if [ -z "$child" ]; then kubectl create -f - <<<"$want" >&2
else jq --argjson w "$want" '.data=$w.data|.metadata.labels=$w.metadata.labels' <<<"$child" | kubectl replace -f - >&2; fi
