#!/bin/bash
# Also writes an Event when it made something, as controllers do.
set -euo pipefail
ns=${1%/*}
name=${1#*/}
fin=lab.example.com/cloud
say() { echo "$(date -u +%T) $*" 1>&2; }

event() { # REASON MESSAGE
  local u at
  u=$(jq -r .metadata.uid <<<"$app")
  at=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  kubectl create -f - >&2 <<EOT || say "no event, never mind"
apiVersion: v1
kind: Event
metadata:
  generateName: $name.
  namespace: $ns
involvedObject:
  apiVersion: lab.example.com/v1
  kind: WebApp
  name: $name
  namespace: $ns
  uid: $u
reason: $1
message: "$2"
type: Normal
firstTimestamp: "$at"
lastTimestamp: "$at"
source:
  component: webapp-controller
EOT
}

app=$(kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found)
[ -n "$app" ] || { say "$1 is no more"; exit 0; }
f() { jq -r "$1" <<<"$app"; }

clean() {
  local lbs; lbs=$(cloud lb list --tag "webapp=$ns/$name") || return 1
  local id
  while read -r id; do
    local out
    if out=$(cloud lb delete "$id" 2>&1); then say "deleted $id"
    elif [[ $out == *"not found"* ]]; then say "$id was gone"
    else say "$out"; return 1; fi
  done < <(f2 '.[].id' "$lbs")
  kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(f '{metadata:{resourceVersion:.metadata.resourceVersion,finalizers:(.metadata.finalizers-["lab.example.com/cloud"])}}|tojson')" -o json
}
f2() { jq -r "$1" <<<"$2"; }

if [ "$(f '.metadata.deletionTimestamp//empty')" ]; then
  if [ "$(f '.metadata.finalizers//[]|index("lab.example.com/cloud")')" != null ]; then clean >/dev/null; fi
  exit 0
fi

lb=null
if [ "$(f .spec.loadBalancer)" = true ]; then
  if [ "$(f '.metadata.finalizers//[]|index("lab.example.com/cloud")')" = null ]; then
    app=$(kubectl patch webapp "$name" -n "$ns" --type=merge -p "$(f '{metadata:{resourceVersion:.metadata.resourceVersion,finalizers:((.metadata.finalizers//[])+["lab.example.com/cloud"])}}|tojson')" -o json)
  fi
  lbs=$(cloud lb list --tag "webapp=$ns/$name")
  lb=$(jq -c '.[0]' <<<"$lbs")
  if [ "$lb" = null ]; then
    lb=$(cloud lb create --name "$name" --tag "webapp=$ns/$name")
    event LoadBalancerCreated "made $(jq -r .id <<<"$lb")"
  fi
elif [ "$(f '.metadata.finalizers//[]|index("lab.example.com/cloud")')" != null ]; then
  app=$(clean)
  event LoadBalancerDeleted "the load balancer is gone"
fi

ref=$(f '.spec.configRef//empty')
base=null ok=1
if [ "$ref" ]; then
  dep=$(kubectl get configmap "$ref" -n "$ns" -o json --ignore-not-found)
  base=$(jq -c '.data.base' <<<"${dep:-null}")
  [ "$base" != null ] || ok=0
fi
if [ $ok = 1 ]; then
  child=$(kubectl get configmap "$name-config" -n "$ns" -o json --ignore-not-found)
  want=$(jq -n --argjson a "$app" --argjson c "${child:-null}" --argjson b "$base" '
    ($c // {apiVersion:"v1",kind:"ConfigMap",metadata:{name:($a.metadata.name+"-config"),namespace:$a.metadata.namespace}})
    |.metadata.labels."app.kubernetes.io/managed-by"="reconcile-lab"
    |.metadata.ownerReferences=[{apiVersion:$a.apiVersion,kind:$a.kind,name:$a.metadata.name,uid:$a.metadata.uid,controller:true,blockOwnerDeletion:true}]
    |.data.message=$a.spec.message|.data.replicas=($a.spec.replicas|tostring)|if $b then .data.base=$b else del(.data.base) end')
  if [ -z "$child" ]; then
    kubectl create -f - <<<"$want" >&2
    event ConfigCreated "made $name-config"
  elif ! jq -en --argjson x "$child" --argjson y "$want" '$x==$y' >/dev/null; then
    kubectl replace -f - <<<"$want" >&2
    event ConfigRepaired "repaired $name-config"
  fi
fi
st=$(jq -c --argjson ok $ok --argjson lb "$lb" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  (if $ok==1 then "True" else "False" end) as $s|([.status.conditions[]?|select(.type=="Ready")][0]) as $c
  |{phase:(if $ok==1 then "Ready" else "Pending" end),observedGeneration:.metadata.generation,
    loadBalancer:(if $lb then ($lb|{id,address}) else null end),
    conditions:[{type:"Ready",status:$s,reason:(if $ok==1 then "Ok" else "DependencyNotFound" end),message:"",lastTransitionTime:(if $c.status==$s then $c.lastTransitionTime else $now end)}]}' <<<"$app")
kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":$st}" >&2
[ -z "$ref" ] || echo '{"requeueAfter":"30s","reason":"configRef"}'
