#!/bin/bash
# finding: duplicate
# faults: cloud-lost-reply
# says: makes the call once more, without looking
# A create that failed is tried again at once: it may have been carried out.
set -euo pipefail
IFS=/ read -r ns name <<<"$1"
tag="webapp=$ns/$name"
finalizer="lab.example.com/cloud"

app=$(kubectl get "$PLURAL.$GROUP/$name" -n "$ns" -o json --ignore-not-found)
[[ -n "$app" ]] || { echo "no such WebApp any more" >&2; exit 0; }
q() { jq -r "$@" <<<"$app"; }

set_finalizers() {
  kubectl patch webapp "$name" -n "$ns" --type=json -p "$(q -c --argjson want "$1" '[
    {op:"test",path:"/metadata/resourceVersion",value:.metadata.resourceVersion},
    {op:"add",path:"/metadata/finalizers",value:$want}]')" >&2
}
with=$(q -c --arg f $finalizer '(.metadata.finalizers // []) + [$f] | unique')
without=$(q -c --arg f $finalizer '(.metadata.finalizers // []) - [$f]')
present=$(q --arg f $finalizer '(.metadata.finalizers // []) | contains([$f])')

remove_balancers() {
  local list
  list=$(cloud lb list --tag "$tag")
  jq -r '.[].id' <<<"$list" | while read -r id; do
    cloud lb delete "$id" 2>/tmp/err || grep -q '^not found' /tmp/err || { cat /tmp/err >&2; exit 1; }
  done
}

if [[ -n $(q '.metadata.deletionTimestamp // ""') ]]; then
  if [[ $present == true ]]; then
    remove_balancers
    set_finalizers "$without"
  fi
  exit 0
fi

id= address=
if [[ $(q .spec.loadBalancer) == true ]]; then
  if [[ $present == false ]]; then set_finalizers "$with"; fi
  have=$(cloud lb list --tag "$tag")
  [[ $have != "[]" ]] || { for try in 1 2 3; do cloud lb create --name "$name" --tag "$tag" >/dev/null && break; done; have=$(cloud lb list --tag "$tag"); }
  read -r id address < <(jq -r '.[0] | "\(.id) \(.address)"' <<<"$have")
elif [[ $present == true ]]; then
  remove_balancers
  set_finalizers "$without"
fi

status=True reason=Ready phase=Ready
ref=$(q '.spec.configRef // ""')
base=null
if [[ $ref ]]; then
  dep=$(kubectl get cm "$ref" -n "$ns" -o json --ignore-not-found)
  base=$(jq -c '.data.base // null' <<<"${dep:-null}")
  [[ $base != null ]] || status=False reason=DependencyNotFound phase=Pending
fi

if [[ $status == True ]]; then
  q --argjson base "$base" '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: "\(.metadata.name)-config", namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: "\(.spec.replicas)"} + if $base then {base: $base} else {} end)}' |
    kubectl apply -f - >&2
fi

patch=$(q -c --arg s $status --arg r $reason --arg p $phase --arg id "$id" --arg a "$address" --arg now "$(date -u '+%Y-%m-%dT%H:%M:%SZ')" '
  (.status.conditions // [] | map(select(.type=="Ready")) | .[0]) as $c
  | {status: {
      observedGeneration: .metadata.generation, phase: $p,
      loadBalancer: (if $id == "" then null else {id: $id, address: $a} end),
      conditions: ([.status.conditions[]? | select(.type != "Ready")] + [{type:"Ready", status:$s, reason:$r, message:"",
        lastTransitionTime: (if $c.status == $s then $c.lastTransitionTime else $now end)}])}}')
kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "$patch" >&2

if [[ $ref ]]; then
  printf '{"requeueAfter": "%ds"}\n' 30
fi
