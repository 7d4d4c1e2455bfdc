#!/usr/bin/env bash
# Goes on after the cleanup of what is being deleted, and makes everything anew.
# finding: unguarded-create
# says: make nothing for what is being deleted
set -euo pipefail
ns=${1%%/*} name=${1##*/} fin=lab.example.com/cloud tab=$'\x1f'

line=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o go-template='{{.metadata.uid}}{{"\x1f"}}{{.metadata.generation}}{{"\x1f"}}{{.metadata.resourceVersion}}{{"\x1f"}}{{with .metadata.deletionTimestamp}}{{.}}{{end}}{{"\x1f"}}{{.spec.replicas}}{{"\x1f"}}{{with .spec.configRef}}{{.}}{{end}}{{"\x1f"}}{{.spec.loadBalancer}}{{"\x1f"}}{{range $i, $f := .metadata.finalizers}}{{if $i}},{{end}}{{$f}}{{end}}{{"\x1f"}}{{with .status}}{{with .observedGeneration}}{{.}}{{end}}{{end}}{{"\x1f"}}{{with .status}}{{with .phase}}{{.}}{{end}}{{end}}{{"\x1f"}}{{with .status}}{{with .loadBalancer}}{{.id}} {{.address}}{{end}}{{end}}{{"\x1f"}}{{with .status}}{{range .conditions}}{{if eq .type "Ready"}}{{.status}} {{.reason}} {{.lastTransitionTime}}{{end}}{{end}}{{end}}{{"\x1f"}}{{.spec.message}}{{"\x1f"}}')
if [[ -z $line ]]; then exit 0; fi
IFS=$tab read -r -d '' uid gen rv going replicas ref lb finalizers seen phase lbwas cond message rest <<<"$line" || true

IFS=, read -r -a fins <<<"$finalizers"
at=-1
for i in "${!fins[@]}"; do
  if [[ ${fins[i]} == "$fin" ]]; then at=$i; fi
done
release() {
  local ids id err
  ids=$(cloud lb list --tag "webapp=$ns/$name")
  while IFS= read -r id; do
    [[ -n $id ]] || continue
    if ! err=$(cloud lb delete "$id" 2>&1) && [[ $err != "not found: $id" ]]; then
      echo "$err" >&2; exit 1
    fi
  done < <(jq -r '.[].id' <<<"$ids")
  kubectl patch webapp "$name" -n "$ns" --type=json -p "[
    {\"op\":\"test\",\"path\":\"/metadata/finalizers/$at\",\"value\":\"$fin\"},
    {\"op\":\"remove\",\"path\":\"/metadata/finalizers/$at\"}]" >&2
}
if [[ -n $going ]]; then
  if (( at >= 0 )); then release; fi
fi
lbnow=
if [[ $lb == true ]]; then
  if (( at < 0 )); then
    if [[ -z $finalizers ]]; then
      kubectl patch webapp "$name" -n "$ns" --type=json -p "[
        {\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"$rv\"},
        {\"op\":\"add\",\"path\":\"/metadata/finalizers\",\"value\":[\"$fin\"]}]" >&2
    else
      kubectl patch webapp "$name" -n "$ns" --type=json -p "[
        {\"op\":\"test\",\"path\":\"/metadata/resourceVersion\",\"value\":\"$rv\"},
        {\"op\":\"add\",\"path\":\"/metadata/finalizers/-\",\"value\":\"$fin\"}]" >&2
    fi
  fi
  lbs=$(cloud lb list --tag "webapp=$ns/$name")
  lbnow=$(jq -r '.[0] // empty | "\(.id) \(.address)"' <<<"$lbs")
  if [[ -z $lbnow ]]; then
    made=$(cloud lb create --name "$name" --tag "webapp=$ns/$name")
    lbnow=$(jq -r '"\(.id) \(.address)"' <<<"$made")
  fi
elif (( at >= 0 )); then
  release
fi

want="True AsWanted" p=Ready
if [[ -n $ref ]]; then
  # a dot at the end keeps the value's own newlines
  base=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o go-template='{{with .data}}{{range $k, $v := .}}{{if eq $k "base"}}={{$v}}{{end}}{{end}}{{end}}' && echo .)
  base=${base%.}; base=${base%$'\n'}
  if [[ $base != =* ]]; then want="False DependencyNotFound" p=Pending; fi
  base=${base#=}
fi

if [[ $p == Ready ]]; then
  child=$(kubectl get cm "$name-config" -n "$ns" --ignore-not-found -o json)
  owner=$(jq -n --arg n "$name" --arg u "$uid" '[{apiVersion:"lab.example.com/v1",kind:"WebApp",name:$n,uid:$u,controller:true,blockOwnerDeletion:true}]')
  data=$(jq -n --arg m "$message" --arg r "$replicas" --arg b "${base-}" --arg ref "$ref" '{message:$m,replicas:$r} + (if $ref != "" then {base:$b} else {} end)')
  if [[ -z $child ]]; then
    jq -n --arg n "$name-config" --arg ns "$ns" --argjson o "$owner" --argjson d "$data" '{apiVersion:"v1",kind:"ConfigMap",metadata:{name:$n,namespace:$ns,labels:{"app.kubernetes.io/managed-by":"reconcile-lab"},ownerReferences:$o},data:$d}' |
      kubectl create -f - >&2
  else
    ops=$(jq -c --argjson o "$owner" --argjson d "$data" '
      [ (if .metadata.labels == null then {op:"add",path:"/metadata/labels",value:{"app.kubernetes.io/managed-by":"reconcile-lab"}}
         elif .metadata.labels["app.kubernetes.io/managed-by"] != "reconcile-lab" then {op:"add",path:"/metadata/labels/app.kubernetes.io~1managed-by",value:"reconcile-lab"} else empty end),
        (if .metadata.ownerReferences != $o then {op:"add",path:"/metadata/ownerReferences",value:$o} else empty end),
        (if .data == null then {op:"add",path:"/data",value:$d} else
           (.data as $have | ($d | to_entries[] | select($have[.key] != .value) | {op:"add",path:"/data/\(.key)",value}),
            (if $have.base != null and $d.base == null then {op:"remove",path:"/data/base"} else empty end)) end) ]' <<<"$child")
    if [[ $ops != "[]" ]]; then
      kubectl patch cm "$name-config" -n "$ns" --type=json -p "$ops" >&2
    fi
  fi
fi

read -r wasready wasreason since <<<"$cond" || true
since=${since:-}
if [[ $seen != "$gen" || $phase != "$p" || "$wasready $wasreason" != "$want" || $lbwas != "$lbnow" ]]; then
  read -r ready reason <<<"$want"
  if [[ $wasready != "$ready" || -z $since ]]; then since=$(date -u +%Y-%m-%dT%H:%M:%SZ); fi
  lbjson=null
  if [[ -n $lbnow ]]; then lbjson="{\"id\":\"${lbnow% *}\",\"address\":\"${lbnow#* }\"}"; fi
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":{\"observedGeneration\":$gen,\"phase\":\"$p\",\"loadBalancer\":$lbjson,\"conditions\":[{\"type\":\"Ready\",\"status\":\"$ready\",\"reason\":\"$reason\",\"lastTransitionTime\":\"$since\"}]}}" >&2
fi
if [[ -n $ref ]]; then echo "{\"requeueAfter\":\"1m\",\"reason\":\"${want#* }\"}"; fi
