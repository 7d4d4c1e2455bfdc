#!/bin/bash
# finding: orphan
# says: it has no ownerReference
# The child does not say whose it is.
set -euo pipefail
shopt -s inherit_errexit nullglob

declare -A app want
ns="${1%/*}" name="${1#*/}"

raw=$(kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found)
if [[ -z "$raw" ]]; then exit; fi

rows=$(jq -r '
  {uid: .metadata.uid, rv: .metadata.resourceVersion, generation: .metadata.generation,
   deleted: (.metadata.deletionTimestamp // ""), message: (.spec.message | @base64), replicas: .spec.replicas,
   ref: (.spec.configRef // ""), lb: .spec.loadBalancer,
   phase: (.status.phase // ""), observed: (.status.observedGeneration // ""),
   lbid: (.status.loadBalancer.id // ""), lbaddress: (.status.loadBalancer.address // ""),
   ready: ([.status.conditions[]? | select(.type=="Ready").status][0] // ""),
   reason: ([.status.conditions[]? | select(.type=="Ready").reason][0] // ""),
   since: ([.status.conditions[]? | select(.type=="Ready").lastTransitionTime][0] // "")}
  | to_entries[] | "\(.key)=\(.value)"' <<<"$raw")
while IFS='=' read -r key value; do
  app[$key]=$value
done <<<"$rows"
mapfile -t finalizers < <(jq -r '.metadata.finalizers[]?' <<<"$raw")

index=-1
for i in "${!finalizers[@]}"; do
  if [[ "${finalizers[$i]}" == lab.example.com/cloud ]]; then index=$i; fi
done

declare -a ids=() addresses=()
load() {
  local list
  list=$(cloud lb list --tag "webapp=$1")
  mapfile -t ids < <(jq -r '.[].id' <<<"$list")
  mapfile -t addresses < <(jq -r '.[].address' <<<"$list")
}
write_finalizers() { # the array as it stands
  local list
  list=$(for f in "${finalizers[@]}"; do echo "$f"; done | jq -R . | jq -sc .)
  kubectl patch webapp "$name" -n "$ns" --type=merge \
    -p "{\"metadata\":{\"resourceVersion\":\"${app[rv]}\",\"finalizers\":$list}}" 1>&2
}

if [[ "${app[lb]}" == true && -z "${app[deleted]}" ]]; then
  if (( index < 0 )); then
    finalizers+=(lab.example.com/cloud)
    write_finalizers
  fi
  load "$1"
  if (( ${#ids[@]} == 0 )); then
    made=$(cloud lb create --name "$name" --tag "webapp=$1")
    ids=("$(jq -r .id <<<"$made")") addresses=("$(jq -r .address <<<"$made")")
  fi
  for (( i = 1; i < ${#ids[@]}; i++ )); do
    cloud lb delete "${ids[$i]}"
  done
else
  if (( index >= 0 )); then
    load "$1"
    for id in "${ids[@]}"; do
      if ! answer=$(cloud lb delete "$id" 2>&1); then
        if [[ ! "$answer" =~ ^not\ found ]]; then echo "$answer" >&2; exit 3; fi
      fi
    done
    unset "finalizers[$index]"
    write_finalizers
    ids=() addresses=()
  fi
  if [[ -n "${app[deleted]}" ]]; then exit 0; fi
fi

want=([phase]=Ready [ready]=True [reason]=Reconciled [observed]=${app[generation]} [lbid]=${ids[0]:-} [lbaddress]=${addresses[0]:-})
base=null
if [[ -n "${app[ref]}" ]]; then
  dependency=$(kubectl get configmap "${app[ref]}" -n "$ns" -o json --ignore-not-found)
  if [[ -n "$dependency" ]]; then base=$(jq -c .data.base <<<"$dependency"); fi
  if [[ "$base" == null ]]; then
    want[phase]=Pending want[ready]=False want[reason]=DependencyNotFound
  fi
fi

if [[ "${want[ready]}" == True ]]; then
  desired=$(jq -nc --arg name "$name-config" --arg ns "$ns" --arg owner "$name" --arg uid "${app[uid]}" \
    --arg message "$(base64 -d <<<"${app[message]}")" --arg replicas "${app[replicas]}" --argjson base "$base" '
    {apiVersion: "v1", kind: "ConfigMap",
     metadata: {name: $name, namespace: $ns, labels: {"app.kubernetes.io/managed-by": "reconcile-lab"}},
     data: ({message: $message, replicas: $replicas} + (if $base == null then {} else {base: $base} end))}')
  kubectl apply -f - <<<"$desired" 1>&2
fi

differs=no
for key in phase ready reason observed lbid lbaddress; do
  if [[ "${app[$key]}" != "${want[$key]}" ]]; then differs=$key; fi
done
if [[ $differs != no ]]; then
  echo "status: $differs differs" 1>&2
  if [[ "${app[ready]}" != "${want[ready]}" ]]; then app[since]=$(date -u +%Y-%m-%dT%H:%M:%SZ); fi
  balancer=null
  if [[ -n "${want[lbid]}" ]]; then balancer=$(printf '{"id":"%s","address":"%s"}' "${want[lbid]}" "${want[lbaddress]}"); fi
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "$(
    printf '{"status":{"observedGeneration":%d,"phase":"%s","loadBalancer":%s,"conditions":[{"type":"Ready","status":"%s","reason":"%s","lastTransitionTime":"%s"}]}}' \
      "${want[observed]}" "${want[phase]}" "$balancer" "${want[ready]}" "${want[reason]}" "${app[since]}"
  )" 1>&2
fi
if [[ -n "${app[ref]}" ]]; then printf '{"requeueAfter":"%s","reason":"%s"}\n' "30s" "${want[reason]}"; fi
