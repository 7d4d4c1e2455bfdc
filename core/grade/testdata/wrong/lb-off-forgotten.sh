#!/usr/bin/env bash
# A load balancer that is wanted no more stays.
# finding: wrong-state
# says: wants no load balancer any more, and there is one
set -euo pipefail
KEY=$1
NS=${KEY%%/*}
NAME=${KEY##*/}
TAG=webapp=$KEY
FIN=lab.example.com/cloud
export NS NAME

say() { echo "[$KEY] $*" >&2; }

do_gone() { say "nothing to do"; }

do_release() {
  local json; json=$(cloud lb list --tag "$TAG")
  local id; local -i n=0
  while read -r id; do
    local out
    if out=$(cloud lb delete "$id" 2>&1); then n+=1; continue; fi
    case "$out" in "not found: $id") continue ;; esac
    say "$out"; exit 1
  done < <(jq -r .[].id <<< "$json")
  say "$n load balancers deleted"
  local patch; patch=$(jq -c --arg f "$FIN" '[{op:"test",path:"/metadata/finalizers",value:.metadata.finalizers},{op:"replace",path:"/metadata/finalizers",value:(.metadata.finalizers-[$f])}]' <<< "$APP")
  APP=$(kubectl patch webapp "$NAME" -n "$NS" --type=json -p "$patch" -o json)
}

do_guard() {
  local patch; patch=$(jq -c --arg f "$FIN" '{metadata:{uid,resourceVersion,finalizers:((.finalizers//[])+[$f])}}' <<< "$(jq .metadata <<< "$APP")")
  APP=$(kubectl patch webapp "$NAME" -n "$NS" --type=merge -p "$patch" -o json)
}

do_balance() {
  local json; json=$(cloud lb list --tag "$TAG")
  LB=$(jq -c '.[0]' <<< "$json")
  if [[ $LB == null ]]; then LB=$(cloud lb create --name "$NAME" --tag "$TAG"); fi
}

do_child() {
  REPLICAS=$(jq -r '.spec.replicas|tostring|@json' <<< "$APP") MESSAGE=$(jq '.spec.message' <<< "$APP") OWNER=$(jq -r .metadata.uid <<< "$APP") \
  envsubst <<< '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"$NAME-config","namespace":"$NS","labels":{"app.kubernetes.io/managed-by":"reconcile-lab"},
    "ownerReferences":[{"apiVersion":"lab.example.com/v1","kind":"WebApp","name":"$NAME","uid":"$OWNER","controller":true,"blockOwnerDeletion":true}]},
    "data":{"message":$MESSAGE,"replicas":$REPLICAS}}' |
  jq --argjson b "$BASE" 'if $b == null then . else .data.base = $b end' |
  kubectl apply -f - >&2
}

do_status() { # phase status reason
  local want; want=$(jq -c --arg p "$1" --arg s "$2" --arg r "$3" --argjson lb "$LB" '
    .metadata.generation as $g | ([.status.conditions[]? | select(.type=="Ready")]|first) as $c
    | {observedGeneration:$g,phase:$p,conditions:[{type:"Ready",status:$s,reason:$r,lastTransitionTime:(if $c.status==$s then $c.lastTransitionTime else (now|floor|todate) end)}]}
    + (if $lb == null then {} else {loadBalancer:{id:$lb.id,address:$lb.address}} end)' <<< "$APP")
  if [[ $(jq --argjson w "$want" '.status==$w' <<< "$APP") == true ]]; then return; fi
  kubectl patch webapp "$NAME" -n "$NS" --subresource=status --type=json -p "[{\"op\":\"test\",\"path\":\"/metadata/uid\",\"value\":$(jq .metadata.uid <<< "$APP")},{\"op\":\"add\",\"path\":\"/status\",\"value\":$want}]" >&2
}

APP=$(kubectl get webapp "$NAME" -n "$NS" --ignore-not-found -o json)
[[ $APP ]] || { do_gone; exit; }
GUARD=$(jq --arg f "$FIN" '[.metadata.finalizers[]?|select(.==$f)]|length' <<< "$APP")
if [[ $(jq -r .metadata.deletionTimestamp <<< "$APP") != null ]]; then
  (( GUARD == 0 )) || do_release
  exit 0
fi
LB=null
if [[ $(jq .spec.loadBalancer <<< "$APP") == true ]]; then
  (( GUARD )) || do_guard
  do_balance
fi
REF=$(jq -r '.spec.configRef//""' <<< "$APP") BASE=null
if [[ $REF ]]; then
  BASE=$(kubectl get cm "$REF" -n "$NS" --ignore-not-found -o json | jq -c '.data.base'); : "${BASE:=null}"
fi
if [[ $REF && $BASE == null ]]; then
  do_status Pending False DependencyNotFound
else
  do_child
  do_status Ready True Reconciled
fi
if [[ $REF ]]; then
  jq -n '{requeueAfter:"30s",reason:"Dependency"}'
fi
