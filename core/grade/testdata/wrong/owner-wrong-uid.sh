#!/usr/bin/env bash
# The child names its owner by a uid that is none: the collector takes it each time.
# finding: hot-loop
# says: The collector deletes ConfigMap/default/
set -euo pipefail
key=$1; ns=${key%%/*}; name=${key##*/}; child=$name-config
k() { kubectl -n "$ns" "$@"; }

app=$(k get webapp "$name" -o json --ignore-not-found); [ -n "$app" ] || exit 0
val() { jq -r "$1" <<< "$app"; }

tagged() { cloud lb list --tag webapp="$key"; }
ungrip() {
  local l; l=$(tagged)
  local i
  for i in $(jq -r '.[]|.id' <<< "$l"); do
    local msg
    if msg=$(cloud lb delete "$i" 2>&1); then :
    elif grep -q 'not found' <<< "$msg"; then :
    else echo "$msg" >&2; return 1
    fi
  done
  local idx
  idx=$(val '.metadata.finalizers | index("lab.example.com/cloud")')
  k patch webapp "$name" --type json -p "[{\"op\":\"test\",\"path\":\"/metadata/finalizers/$idx\",\"value\":\"lab.example.com/cloud\"},{\"op\":\"remove\",\"path\":\"/metadata/finalizers/$idx\"}]" >&2
}
gripped=$(val '.metadata.finalizers // [] | any(. == "lab.example.com/cloud")')

if [ "$(val '.metadata.deletionTimestamp != null')" = true ]; then
  if [ "$gripped" = true ]; then ungrip; fi
  exit 0
fi

lbid= lbaddr=
if [ "$(val .spec.loadBalancer)" = true ]; then
  if [ "$gripped" != true ]; then
    k patch webapp "$name" --type=merge -p "$(val '{metadata:{finalizers:((.metadata.finalizers//[])+["lab.example.com/cloud"]),resourceVersion:.metadata.resourceVersion}}|tojson')" >&2
  fi
  all=$(tagged)
  if [ "$(jq 'length == 0' <<< "$all")" = true ]; then
    all="[$(cloud lb create --name "$name" --tag webapp="$key")]"
  fi
  lbid=$(jq -r '.[0].id' <<< "$all") lbaddr=$(jq -r '.[0].address' <<< "$all")
elif [ "$gripped" = true ]; then
  ungrip
fi

wait=0
args=(--from-literal=message="$(val .spec.message)" --from-literal=replicas="$(val .spec.replicas)")
ref=$(val '.spec.configRef//""')
if [ -n "$ref" ]; then
  dep=$(k get configmap "$ref" --ignore-not-found -o json)
  if [ -z "$dep" ]; then wait=1
  elif [ "$(jq '.data//{}|has("base")' <<< "$dep")" != true ]; then wait=1
  else args+=(--from-literal=base="$(jq -r .data.base <<< "$dep")")
  fi
fi
if [ $wait = 0 ]; then
  want=$(k create configmap "$child" "${args[@]}" --dry-run=client -o json |
    kubectl label -f - --local app.kubernetes.io/managed-by=reconcile-lab -o json |
    jq --argjson a "$app" '.metadata.ownerReferences=[{apiVersion:$a.apiVersion,kind:$a.kind,name:$a.metadata.name,uid:$a.metadata.name,controller:true,blockOwnerDeletion:true}] | del(.metadata.creationTimestamp)')
  have=$(k get cm "$child" --ignore-not-found -o json)
  if [ -z "$have" ]; then
    k create -f - <<< "$want" >&2
  else
    patch=$(jq -cn --argjson h "$have" --argjson w "$want" '
      {metadata: ({}
         + (if $h.metadata.labels["app.kubernetes.io/managed-by"] != "reconcile-lab" then {labels: $w.metadata.labels} else {} end)
         + (if $h.metadata.ownerReferences != $w.metadata.ownerReferences then {ownerReferences: $w.metadata.ownerReferences} else {} end)),
       data: (($w.data | with_entries(select($h.data[.key] != .value)))
         + (if ($h.data // {} | has("base")) and ($w.data | has("base") | not) then {base: null} else {} end))}
      | if .data == {} then del(.data) else . end | if .metadata == {} then del(.metadata) else . end')
    if [ "$patch" != '{}' ]; then k patch cm "$child" --type=merge -p "$patch" >&2; fi
  fi
  cond='{"type":"Ready","status":"True","reason":"Reconciled"}' phase=Ready
else
  cond='{"type":"Ready","status":"False","reason":"DependencyNotFound"}' phase=Pending
fi
p=$(jq -c --argjson c "$cond" --arg phase $phase --arg id "$lbid" --arg ad "$lbaddr" --arg t "$(date -u +%FT%TZ)" '
  . as $a | (.status.conditions // []) as $cs | ($cs | map(select(.type=="Ready"))[0]) as $o
  | {observedGeneration: .metadata.generation, phase: $phase,
     loadBalancer: (if $id=="" then null else {id:$id,address:$ad} end),
     conditions: ([$cs[]|select(.type!="Ready")] + [$c + {lastTransitionTime: (if $o.status==$c.status then $o.lastTransitionTime else $t end)}])}
  | with_entries(select($a.status[.key] != .value))' <<< "$app")
[ "$p" = '{}' ] || k patch webapp "$name" --subresource=status --type=merge -p "{\"status\":$p}" >&2
[ -z "$ref" ] || echo '{"requeueAfter":"30s","reason":"'$([ $wait = 1 ] && echo DependencyNotFound || echo Watching)'"}'
