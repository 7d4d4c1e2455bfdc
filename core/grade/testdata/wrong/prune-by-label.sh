#!/usr/bin/env bash
# Takes every ConfigMap with its label but one for litter, those of other WebApps too.
# finding: foreign-write
# says: deleted it
set -euo pipefail
IFS=/ read -r ns name <<< "$1"
F=lab.example.com/cloud
app=$(kubectl get webapp -n "$ns" --field-selector "metadata.name=$name" -o json | jq -c '.items[0] // empty')
[ -n "$app" ] || exit 0
j() { jq -r "$1" <<< "$app"; }
fins() {
  app=$(jq -c --arg f $F '.metadata.finalizers as $was | (($was // []) '"$1"' [$f]) as $to
    | if $was == null then [{op: "test", path: "/metadata/resourceVersion", value: .metadata.resourceVersion}, {op: "add", path: "/metadata/finalizers", value: $to}]
      else [{op: "test", path: "/metadata/finalizers", value: $was}, {op: "replace", path: "/metadata/finalizers", value: $to}] end' <<< "$app" |
    xargs -0 -I{} kubectl patch webapp "$name" -n "$ns" --type=json -o json -p {})
}
setstatus() { # phase, Ready, reason, lb
  local s
  s=$(jq -c --arg p "$1" --arg c "$2" --arg r "$3" --argjson lb "$4" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
    (first(.status.conditions[]? | select(.type == "Ready")) // {}) as $o
    | {phase: $p, observedGeneration: .metadata.generation, loadBalancer: $lb,
       conditions: [{type: "Ready", status: $c, reason: $r, lastTransitionTime: (if $o.status == $c then $o.lastTransitionTime else $now end)}]}
    | if .loadBalancer == null then del(.loadBalancer) else . end' <<< "$app")
  jq -e --argjson s "$s" '.status == $s' <<< "$app" > /dev/null ||
    app=$(jq --argjson s "$s" '.status = $s' <<< "$app" | kubectl replace --subresource=status -o json -f -)
}
free() {
  local lbs
  lbs=$(cloud lb list --tag "webapp=$1")
  jq -r '.[].id' <<< "$lbs" | while IFS= read -r id; do
    cloud lb delete "$id" 2> /tmp/e || grep -q "not found: $id" /tmp/e || { cat /tmp/e >&2; exit 1; }
  done
}
guarded=$(j '.metadata.finalizers // [] | any(. == "lab.example.com/cloud")')
if [ "$(j .metadata.deletionTimestamp)" != null ]; then
  if [ $guarded = true ]; then free "$1"; fins -; fi
  exit 0
fi
if [ "$(j '.status.observedGeneration')" != "$(j .metadata.generation)" ]; then
  setstatus Pending False Progressing "$(j '.status.loadBalancer')"
fi
lb=null
if [ "$(j .spec.loadBalancer)" = true ]; then
  [ $guarded = true ] || fins +
  lb=$(cloud lb list --tag "webapp=$1" | jq -c 'if length > 0 then .[0] | {id, address} else null end')
  [ "$lb" != null ] || lb=$(cloud lb create --name "$name" --tag "webapp=$1" | jq -c '{id, address}')
elif [ $guarded = true ]; then
  free "$1"; fins -
fi
ref=$(j '.spec.configRef // ""')
base=null
[ -z "$ref" ] || base=$(kubectl get cm -n "$ns" -o json | jq -c --arg r "$ref" '[.items[] | select(.metadata.name == $r) | .data.base // empty] | first')
if [ -n "$ref" ] && [ "$base" = null ]; then
  setstatus Pending False DependencyNotFound "$lb"
  echo '{"requeueAfter":"30s","reason":"DependencyNotFound"}'
  exit 0
fi
uid=$(j .metadata.uid)
mine=$(kubectl get cm -n "$ns" -l app.kubernetes.io/managed-by=reconcile-lab -o json |
  jq -c --arg u "$uid" --arg n "$name-config" '[.items[] | select(.metadata.name == $n and any(.metadata.ownerReferences[]?; .uid == $u))] | first // empty')
kubectl get cm -n "$ns" -l app.kubernetes.io/managed-by=reconcile-lab -o json | jq -r --arg n "$name-config" '.items[].metadata.name | select(. != $n)' | xargs -r kubectl delete cm -n "$ns" >&2
want=$(jq -c --argjson base "$base" '{message: .spec.message, replicas: "\(.spec.replicas)"} + if $base == null then {} else {base: $base} end' <<< "$app")
owner=$(jq -c '[{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]' <<< "$app")
if [ -z "$mine" ]; then
  # not there, or there without our label or owner
  other=$(kubectl get cm "$name-config" -n "$ns" -o json --ignore-not-found)
  if [ -z "$other" ]; then
    jq -n --arg n "$name-config" --arg ns "$ns" --argjson o "$owner" --argjson d "$want" '{apiVersion: "v1", kind: "ConfigMap",
      metadata: {name: $n, namespace: $ns, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"}, ownerReferences: $o}, data: $d}' | kubectl create -f - >&2
  else
    mine=$other
  fi
fi
if [ -n "$mine" ]; then
  next=$(jq -c --argjson o "$owner" --argjson d "$want" '.metadata.ownerReferences = $o | .metadata.labels["app.kubernetes.io/managed-by"] = "reconcile-lab" | .data = ((.data // {} | del(.base)) + $d)' <<< "$mine")
  if jq -ne --argjson a "$mine" --argjson b "$next" '$a != $b' > /dev/null; then kubectl replace -f - <<< "$next" >&2; fi
fi
setstatus Ready True Reconciled "$lb"
[ -z "$ref" ] || echo '{"requeueAfter":"30s","reason":"Reconciled"}'
