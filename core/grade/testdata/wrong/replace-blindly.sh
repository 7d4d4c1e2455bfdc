#!/usr/bin/env bash
# Puts the WebApp back without the resourceVersion that it was read with.
# finding: lost-update
# faults: conflict
# says: overwritten with what was read before
set -euo pipefail
ns=$(echo "$1" | cut -d/ -f1)
name=$(echo "$1" | cut -d/ -f2)
if ! kubectl get --raw "/apis/$GROUP/$VERSION/namespaces/$ns/$PLURAL/$name" > app.json 2> app.err; then
  if grep -q NotFound app.err; then exit 0; fi
  cat app.err >&2
  exit 1
fi
deleting=$(jq -r '.metadata.deletionTimestamp // ""' app.json)
guard=$(jq -r '[.metadata.finalizers[]? | select(. == "lab.example.com/cloud")] | length' app.json)
wantlb=$(jq -r 'if .spec.loadBalancer and (.metadata.deletionTimestamp == null) then 1 else 0 end' app.json)

if [ "$wantlb" = 1 ] && [ "$guard" = 0 ]; then
  jq 'del(.metadata.resourceVersion) | .metadata.finalizers += ["lab.example.com/cloud"]' app.json | kubectl replace -f - -o json > app2.json
  mv app2.json app.json
fi
: > keep.tsv
if [ "$wantlb" = 1 ]; then
  cloud lb list --tag "webapp=$1" > lbs.json
  jq -r '.[] | [.id, .address] | @tsv' lbs.json | sort > lbs.tsv
  if [ ! -s lbs.tsv ]; then
    cloud lb create --name "$name" --tag "webapp=$1" > lb.json
    jq -r '[.id, .address] | @tsv' lb.json > lbs.tsv
  fi
  head -n 1 lbs.tsv > keep.tsv
  tail -n +2 lbs.tsv | awk -F'\t' '{print $1}' | while read -r id; do cloud lb delete "$id" >&2; done
elif [ "$guard" != 0 ]; then
  cloud lb list --tag "webapp=$1" > lbs.json
  jq -r '.[].id' lbs.json > ids
  while read -r id; do
    set +e
    msg=$(cloud lb delete "$id" 2>&1)
    rc=$?
    set -e
    if [ $rc -ne 0 ] && ! echo "$msg" | grep -q '^not found: '; then
      echo "$msg" >&2
      exit 1
    fi
  done < ids
  jq '.metadata.finalizers -= ["lab.example.com/cloud"]' app.json | kubectl replace -f - -o json > app2.json
  mv app2.json app.json
fi
if [ -n "$deleting" ]; then exit 0; fi

ref=$(jq -r '.spec.configRef // ""' app.json)
ready=yes
rm -f base.json
if [ -n "$ref" ]; then
  kubectl get cm "$ref" -n "$ns" --ignore-not-found -o json > dep.json
  if [ -s dep.json ] && jq -e '.data.base' dep.json > base.json; then :; else ready=no; fi
fi
if [ $ready = yes ]; then
  [ -f base.json ] || echo null > base.json
  kubectl get cm "$name-config" -n "$ns" --ignore-not-found -o json > child.json
  if [ ! -s child.json ]; then
    verb=create
    jq -n --arg n "$name-config" --arg ns "$ns" '{apiVersion:"v1",kind:"ConfigMap",metadata:{name:$n,namespace:$ns}}' > child.json
  else
    verb=replace
  fi
  jq --slurpfile app app.json --slurpfile base base.json '
    $app[0] as $a | $base[0] as $b
    | .metadata.labels += {"app.kubernetes.io/managed-by":"reconcile-lab"}
    | .metadata.ownerReferences = [{apiVersion:$a.apiVersion,kind:$a.kind,name:$a.metadata.name,uid:$a.metadata.uid,controller:true,blockOwnerDeletion:true}]
    | .data += {message:$a.spec.message, replicas:($a.spec.replicas|tostring), base:$b}
    | if $b == null then del(.data.base) else . end' child.json > next.json
  if [ "$(jq -S . child.json | md5sum)" != "$(jq -S . next.json | md5sum)" ]; then
    kubectl $verb -f next.json >&2
  fi
fi
if [ $ready = yes ]; then p=Ready s=True r=Ready; else p=Pending s=False r=DependencyNotFound; fi
jq --arg p $p --arg s $s --arg r $r --rawfile lb keep.tsv --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  ($lb | rtrimstr("\n") | split("\t")) as $lb
  | ([.status.conditions[]? | select(.type == "Ready")] | first) as $c
  | .status.phase = $p | .status.observedGeneration = .metadata.generation
  | (if ($lb | length) == 2 then .status.loadBalancer = {id: $lb[0], address: $lb[1]} else del(.status.loadBalancer) end)
  | .status.conditions = [{type: "Ready", status: $s, reason: $r, lastTransitionTime: (if $c.status == $s then $c.lastTransitionTime else $now end)}]' app.json > done.json
if [ "$(jq -cS .status app.json)" != "$(jq -cS .status done.json)" ]; then
  kubectl replace --subresource=status -f done.json >&2
fi
if [ -n "$ref" ]; then printf '{"requeueAfter":"%ds","reason":"%s"}\n' 30 $r; fi
