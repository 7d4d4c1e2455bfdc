#!/bin/bash
# Paths instead of kinds: kubectl get --raw and replace --raw.
set -euo pipefail
ns=${1%/*}
name=${1#*/}
wa=/apis/$GROUP/$VERSION/namespaces/$ns/$PLURAL/$name
cms=/api/v1/namespaces/$ns/configmaps
err=$(mktemp)
raw() { # prints the object, or nothing where there is none
  local out
  if out=$(kubectl get --raw "$1" 2>"$err"); then printf '%s' "$out"
  elif grep -qi 'notfound\|not found' "$err"; then return 0
  else cat "$err" >&2; return 1; fi
}
app=$(raw "$wa")
[[ -n $app ]] || exit 0
put() { kubectl replace --raw "$1" -f -; }
fin=$(jq '.metadata.finalizers // [] | contains(["lab.example.com/cloud"])' <<<"$app")
wipe() {
  local lbs
  lbs=$(cloud lb list --tag "webapp=$1")
  for id in $(jq -r '.[].id' <<<"$lbs"); do
    cloud lb delete "$id" 2>"$err" || grep -q 'not found' "$err" || { cat "$err" >&2; exit 1; }
  done
  app=$(jq '.metadata.finalizers -= ["lab.example.com/cloud"]' <<<"$app" | put "$wa")
}
if [[ $(jq -r .metadata.deletionTimestamp <<<"$app") != null ]]; then
  if $fin; then wipe "$1"; fi
  exit 0
fi
lb=null
if [[ $(jq .spec.loadBalancer <<<"$app") == true ]]; then
  $fin || app=$(jq '.metadata.finalizers += ["lab.example.com/cloud"]' <<<"$app" | put "$wa")
  lbs=$(cloud lb list --tag "webapp=$1")
  lb=$(jq -c '.[0]' <<<"$lbs")
  [[ $lb != null ]] || lb=$(cloud lb create --name "$name" --tag "webapp=$1")
elif $fin; then
  wipe "$1"
fi
ref=$(jq -r '.spec.configRef // empty' <<<"$app")
base=null ok=true
if [[ -n $ref ]]; then
  dep=$(raw "$cms/$ref")
  [[ -z $dep ]] || base=$(jq -c .data.base <<<"$dep")
  [[ $base != null ]] || ok=false
fi
if $ok; then
  old=$(raw "$cms/$name-config")
  new=$(jq -n --argjson app "$app" --argjson old "${old:-null}" --argjson base "$base" '
    ($old // {apiVersion:"v1",kind:"ConfigMap",metadata:{name:"\($app.metadata.name)-config",namespace:$app.metadata.namespace}})
    | .metadata.labels += {"app.kubernetes.io/managed-by":"reconcile-lab"}
    | .metadata.ownerReferences = [{apiVersion:"lab.example.com/v1",kind:"WebApp",name:$app.metadata.name,uid:$app.metadata.uid,controller:true,blockOwnerDeletion:true}]
    | .data += {message:$app.spec.message,replicas:"\($app.spec.replicas)"}
    | if $base == null then del(.data.base) else .data.base = $base end')
  if [[ -z $old ]]; then kubectl create --raw "$cms" -f - <<<"$new" >/dev/null
  elif [[ $(jq -cS . <<<"$old") != "$(jq -cS . <<<"$new")" ]]; then put "$cms/$name-config" <<<"$new" >/dev/null; fi
fi
next=$(jq -c --argjson ok $ok --argjson lb "$lb" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  (if $ok then "True" else "False" end) as $s
  | ([.status.conditions[]?|select(.type=="Ready" and .status==$s)|.lastTransitionTime]|first // $now) as $t
  | .status={observedGeneration:.metadata.generation,phase:(if $ok then "Ready" else "Pending" end),
     conditions:[{type:"Ready",status:$s,reason:(if $ok then "Ready" else "DependencyNotFound" end),message:"",lastTransitionTime:$t}]}
  | if $lb then .status.loadBalancer={id:$lb.id,address:$lb.address} else . end' <<<"$app")
[[ $(jq -cS .status <<<"$app") == "$(jq -cS .status <<<"$next")" ]] || put "$wa/status" <<<"$next" >/dev/null
rm -f "$err"
[[ -z $ref ]] || echo '{"requeueAfter":"30s"}'
