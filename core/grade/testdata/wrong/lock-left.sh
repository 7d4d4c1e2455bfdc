#!/usr/bin/env bash
# A lock file stays behind when a pass ends with an error.
# finding: stuck-deletion
# faults: refused
# says: since then its passes end before they make a call
set -Eeuo pipefail
ns=$(dirname "$1")
name=$(basename "$1")
work=$(mktemp -d)
lock=/tmp/lock-$name
if [ -e "$lock" ]; then echo "another pass is at work" >&2; exit 0; fi
touch "$lock"
trap 'echo "failed at line $LINENO" >&2' ERR
cd "$work"

kubectl get webapp "$name" -n "$ns" -o json --ignore-not-found > app.json
[ -s app.json ] || { rm "$lock"; exit 0; }

mapfile -t finalizers < <(jq -r '.metadata.finalizers[]?' app.json)
have_finalizer() { printf '%s\n' "${finalizers[@]:-}" | grep -qx lab.example.com/cloud; }

write_finalizers() {
  jq -c --args '{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: $ARGS.positional}}' "$@" < app.json > finalizers.json
  kubectl patch webapp "$name" -n "$ns" --type=merge --patch-file finalizers.json -o json > app2.json
  mv app2.json app.json
}
drop_finalizer() {
  local keep=() f
  for f in "${finalizers[@]}"; do
    [ "$f" = lab.example.com/cloud ] || keep+=("$f")
  done
  write_finalizers "${keep[@]+"${keep[@]}"}"
}
delete_one() {
  cloud lb delete "$1" 2> err.txt && return
  grep -q '^not found' err.txt && return
  cat err.txt >&2
  return 1
}
delete_all() {
  local id
  cloud lb list --tag "webapp=$ns/$name" > lbs.json
  jq -r '.[].id' lbs.json > ids.txt
  while read -r id; do delete_one "$id" || exit 1; done < ids.txt
}

if jq -e 'has("metadata") and (.metadata | has("deletionTimestamp"))' app.json > /dev/null; then
  if have_finalizer; then
    delete_all
    drop_finalizer
  fi
  rm "$lock"; exit 0
fi

echo null > lb.json
if [ "$(jq .spec.loadBalancer app.json)" = true ]; then
  if ! have_finalizer; then write_finalizers "${finalizers[@]+"${finalizers[@]}"}" lab.example.com/cloud; fi
  cloud lb list --tag "webapp=$ns/$name" > lbs.json
  if [ "$(jq length lbs.json)" = 0 ]; then
    cloud lb create --name "$name" --tag "webapp=$ns/$name" > lb.json
  else
    jq '.[0]' lbs.json > lb.json
    jq -r '.[1:] | .[].id' lbs.json | xargs -r -n 1 cloud lb delete
  fi
elif have_finalizer; then
  delete_all
  drop_finalizer
fi

ref=$(jq -r '.spec.configRef // ""' app.json)
echo '{}' > base.json
missing=
if [ -n "$ref" ]; then
  kubectl get cm "$ref" -n "$ns" -o json --ignore-not-found > dep.json
  if [ ! -s dep.json ] || [ "$(jq '.data.base | type' dep.json)" != '"string"' ]; then
    missing=yes
  else
    jq '{base: .data.base}' dep.json > base.json
  fi
fi

if [ -z "$missing" ]; then
  jq --slurpfile b base.json '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: (.metadata.name + "-config"), namespace: .metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: ({message: .spec.message, replicas: (.spec.replicas | tostring)} + $b[0])}' app.json > want.json
  kubectl get cm "$name-config" -n "$ns" -o json --ignore-not-found > have.json
  if [ ! -s have.json ]; then
    kubectl create -f want.json >&2
  else
    view='{l: .metadata.labels["app.kubernetes.io/managed-by"], o: .metadata.ownerReferences, d: (.data | {message, replicas, base})}'
    jq -S "$view" want.json > a
    jq -S "$view" have.json > b
    if ! cmp -s a b; then
      jq -s '.[0] as $w | .[1] | .metadata.labels += $w.metadata.labels | .metadata.ownerReferences = $w.metadata.ownerReferences
             | .data = ((.data // {} | del(.base)) + $w.data)' want.json have.json | kubectl replace -f - >&2
    fi
  fi
fi

jq --arg missing "$missing" --slurpfile lb lb.json --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  ($missing == "") as $ok
  | (first(.status.conditions[]? | select(.type == "Ready")) // null) as $was
  | (if $ok then "True" else "False" end) as $s
  | {observedGeneration: .metadata.generation, phase: (if $ok then "Ready" else "Pending" end),
     conditions: [{type: "Ready", status: $s, reason: (if $ok then "Complete" else "DependencyNotFound" end),
       lastTransitionTime: (if $was.status == $s then $was.lastTransitionTime else $now end)}]}
    + (if $lb[0] then {loadBalancer: ($lb[0] | {id, address})} else {} end)' app.json > status.json
if ! jq -e --slurpfile s status.json '.status == $s[0]' app.json > /dev/null; then
  jq --slurpfile s status.json '.status = $s[0]' app.json > put.json
  kubectl replace --subresource status -f put.json >&2
fi
rm "$lock"
if [ -n "$ref" ]; then
  echo '{"requeueAfter": "30s"}'
fi
