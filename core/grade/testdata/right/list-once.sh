#!/bin/bash
# Lists the namespace once, filters in jq, never gets a single object.
set -euo pipefail
ns=${1%/*}
name=${1#*/}
world=$(kubectl get webapps,configmaps -n "$ns" -o json)
pick() { jq -c --arg k "$1" --arg n "$2" '[.items[] | select(.kind == $k and .metadata.name == $n)][0] // empty' <<<"$world"; }
app=$(pick WebApp "$name")
[ -n "$app" ] || exit 0
child=$(pick ConfigMap "$name-config")
lbs=$(cloud lb list | jq -c --arg t "$1" '[.[] | select(.tags.webapp == $t)] | sort_by(.id)')

del() {
  for id in $(jq -r '.[].id' <<<"$1"); do
    if ! e=$(cloud lb delete "$id" 2>&1); then
      [[ "$e" =~ ^not\ found ]] || { echo "$e" >&2; return 1; }
    fi
  done
}
own=$(jq '[.metadata.finalizers[]? == "lab.example.com/cloud"] | any' <<<"$app")
gone=$(jq '.metadata.deletionTimestamp != null' <<<"$app")
lb=$(jq '(.spec.loadBalancer and (.metadata.deletionTimestamp == null))' <<<"$app")
write() { jq "$1" <<<"$app" | kubectl replace -f - -o json | jq -c .; }

if [ $own = true ] && [ $lb = false ]; then
  del "$lbs"
  app=$(write '.metadata.finalizers -= ["lab.example.com/cloud"]')
  lbs=[]
fi
if [ $gone = true ]; then exit 0; fi
if [ $lb = true ]; then
  if [ $own = false ]; then
    app=$(write '.metadata.finalizers += ["lab.example.com/cloud"]')
  fi
  if [ "$lbs" = '[]' ]; then
    lbs=$(cloud lb create --name "$name" --tag "webapp=$1" | jq -sc .)
  else
    del "$(jq -c '.[1:]' <<<"$lbs")"   # never more than one
  fi
fi

ref=$(jq -r '.spec.configRef // ""' <<<"$app")
ok=true
base=null
if [ -n "$ref" ]; then
  base=$(pick ConfigMap "$ref" | jq .data.base)
  [ "${base:-null}" != null ] || { ok=false; base=null; }
fi
if $ok; then
  desired=$(jq -c --argjson base "$base" '{
    labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
    ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}],
    data: {message: .spec.message, replicas: (.spec.replicas | tostring), base: $base} | del(.base | nulls)}' <<<"$app")
  if [ -z "$child" ]; then
    jq --argjson d "$desired" -n --arg n "$name-config" --arg ns "$ns" '{apiVersion:"v1",kind:"ConfigMap",metadata:({name:$n,namespace:$ns}+($d|del(.data))),data:$d.data}' | kubectl create -f - >&2
  else
    p=$(jq -c --argjson d "$desired" '
      {data: ([$d.data|to_entries[]|select(.value != $c.data[.key])] | from_entries | if $d.data.base == null and $c.data.base then .base = null else . end),
       metadata: (if $c.metadata.labels["app.kubernetes.io/managed-by"] != "reconcile-lab" then {labels:$d.labels} else {} end
         + if $c.metadata.ownerReferences != $d.ownerReferences then {ownerReferences:$d.ownerReferences} else {} end)}
      | with_entries(select(.value != {}))' --argjson c "$child" -n)
    if [ "$p" != '{}' ]; then
      kubectl patch cm "$name-config" -n "$ns" --type=merge -p "$p" >&2
    fi
  fi
fi

jq -c --argjson ok $ok --argjson lbs "$lbs" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  .status as $old
  | (if $ok then "True" else "False" end) as $s
  | ([$old.conditions[]? | select(.type == "Ready")][0]) as $c
  | .status = {observedGeneration: .metadata.generation, phase: (if $ok then "Ready" else "Pending" end),
      conditions: [{type: "Ready", status: $s, reason: (if $ok then "Reconciled" else "DependencyNotFound" end),
        lastTransitionTime: (if $c.status == $s then $c.lastTransitionTime else $now end)}]}
  | if $lbs[0] then .status.loadBalancer = ($lbs[0] | {id, address}) else . end
  | select(.status != $old)' <<<"$app" > new.json
if [ -s new.json ]; then kubectl replace --subresource=status -f new.json >&2; fi
if [ -n "$ref" ]; then echo '{"requeueAfter":"30s"}'; fi
