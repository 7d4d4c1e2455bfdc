#!/bin/bash
# Server-side apply for the child, functions for the rest, early exits.
set -eu -o pipefail

NS=${1%/*}
NAME=${1#*/}
MINE=lab.example.com/cloud

die() { echo "$*" >&2; exit 1; }

read_app() { kubectl get webapp "$NAME" --namespace "$NS" --ignore-not-found --output json; }

finalizers() { jq -c '.metadata.finalizers // []' <<<"$APP"; }

guarded() { jq -e --arg f "$MINE" 'any(.[]; . == $f)' >/dev/null <<<"$(finalizers)"; }

# write_finalizers LIST: with the version that was read, so that nothing of others gets lost
write_finalizers() {
  local version
  version=$(jq -r .metadata.resourceVersion <<<"$APP")
  kubectl patch webapp "$NAME" -n "$NS" --type merge \
    -p "{\"metadata\":{\"resourceVersion\":\"$version\",\"finalizers\":$1}}" >/dev/null
}

guard() {
  guarded && return
  write_finalizers "$(finalizers | jq -c --arg f "$MINE" '. + [$f]')"
}

unguard() {
  guarded || return 0
  local found ids id
  found=$(cloud lb list --tag "webapp=$NS/$NAME") || die "the cloud does not answer"
  mapfile -t ids < <(jq -r '.[].id' <<<"$found")
  for id in ${ids[@]+"${ids[@]}"}; do
    if ! err=$(cloud lb delete "$id" 2>&1); then
      case $err in "not found"*) ;; *) die "$err" ;; esac
    fi
  done
  write_finalizers "$(finalizers | jq -c --arg f "$MINE" 'map(select(. != $f))')"
}

balancer() {
  local found n
  found=$(cloud lb list --tag "webapp=$NS/$NAME") || die "the cloud does not answer"
  n=$(jq length <<<"$found")
  while ((n > 1)); do
    cloud lb delete "$(jq -r ".[$((n - 1))].id" <<<"$found")"
    ((n -= 1))
  done
  if ((n == 0)); then
    cloud lb create --name "$NAME" --tag "webapp=$NS/$NAME"
  else
    jq -c '.[0]' <<<"$found"
  fi
}

child() {
  jq -n --argjson app "$APP" --argjson data "$1" '{
    apiVersion: "v1", kind: "ConfigMap",
    metadata: {
      name: ($app.metadata.name + "-config"), namespace: $app.metadata.namespace,
      labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion: $app.apiVersion, kind: $app.kind, name: $app.metadata.name,
        uid: $app.metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: $data}' |
    kubectl apply --server-side --force-conflicts --field-manager=lab -f - >/dev/null
}

# report PHASE STATUS REASON BALANCER
report() {
  local since now want
  since=$(jq -r --arg s "$2" 'first(.status.conditions[]? | select(.type == "Ready" and .status == $s) | .lastTransitionTime) // ""' <<<"$APP")
  now=${since:-$(date -u +%Y-%m-%dT%H:%M:%SZ)}
  want=$(jq -n -c --argjson app "$APP" --arg phase "$1" --arg s "$2" --arg r "$3" --argjson lb "$4" --arg t "$now" '{
    observedGeneration: $app.metadata.generation, phase: $phase,
    conditions: [{type: "Ready", status: $s, reason: $r, lastTransitionTime: $t}]}
    + if $lb == null then {} else {loadBalancer: ($lb | {id, address})} end')
  if [ "$(jq -S -c '.status // {}' <<<"$APP")" != "$(jq -S -c . <<<"$want")" ]; then
    local patch=$want
    [ "$4" != null ] || patch=$(jq -c '. + {loadBalancer: null}' <<<"$want")
    kubectl patch webapp "$NAME" -n "$NS" --subresource status --type merge -p "{\"status\":$patch}" >/dev/null
  fi
}

APP=$(read_app)
if [ -z "$APP" ]; then
  exit 0
fi
if jq -e .metadata.deletionTimestamp >/dev/null <<<"$APP"; then
  unguard
  exit 0
fi

lb=null
if jq -e '.spec.loadBalancer == true' >/dev/null <<<"$APP"; then
  guard
  lb=$(balancer)
else
  unguard
fi

data=$(jq -c '{message: .spec.message, replicas: (.spec.replicas | tostring)}' <<<"$APP")
ref=$(jq -r '.spec.configRef // ""' <<<"$APP")
if [ -n "$ref" ]; then
  config=$(kubectl get configmap "$ref" -n "$NS" --ignore-not-found -o json)
  if ! base=$(jq -e -c 'select(.data | has("base")) | {base: .data.base}' <<<"${config:-{\}}" 2>/dev/null); then
    report Pending False DependencyNotFound "$lb"
    printf '{"requeueAfter": "%s", "reason": "%s"}\n' 30s DependencyNotFound
    exit 0
  fi
  data=$(jq -c --argjson base "$base" '. + $base' <<<"$data")
fi
child "$data"
report Ready True Reconciled "$lb"
[ -z "$ref" ] || echo '{"requeueAfter":"1m"}'
