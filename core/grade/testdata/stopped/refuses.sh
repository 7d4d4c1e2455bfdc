#!/usr/bin/env bash
# Leaves a child alone that somebody else has written to: it says so in the status,
# and waits for a person.
# faults: conflict
# says: TouchedByOthers
set -euo pipefail
NAMESPACE=${1%/*} NAME=${1#*/} GUARD=lab.example.com/cloud
KUBECTL=(kubectl --namespace "$NAMESPACE")

if ! WEBAPP=$("${KUBECTL[@]}" get webapp "$NAME" -o json 2>error.txt); then
  if grep -q '(NotFound)' error.txt; then exit 0; fi
  cat error.txt >&2
  exit 1
fi
read -r GENERATION WANTS DELETED POSITION < <(jq -r '[
  .metadata.generation, .spec.loadBalancer, .metadata.deletionTimestamp != null,
  (.metadata.finalizers // [] | index("lab.example.com/cloud") // "none")] | @tsv' <<<"$WEBAPP")

patch_json() { "${KUBECTL[@]}" patch webapp "$NAME" --type=json -p "$1" >/dev/null; }
ITEMS=[]
if [[ $WANTS == true && $DELETED == false ]]; then
  if [[ $POSITION == none ]]; then
    patch_json "$(jq -c --arg g "$GUARD" '[{op: "test", path: "/metadata/resourceVersion", value: .metadata.resourceVersion}]
      + if .metadata.finalizers then [{op: "add", path: "/metadata/finalizers/-", value: $g}]
        else [{op: "add", path: "/metadata/finalizers", value: [$g]}] end' <<<"$WEBAPP")"
  fi
  ITEMS=$(cloud lb list --tag "webapp=$1")
  if [[ $(jq length <<<"$ITEMS") -eq 0 ]]; then
    ITEMS=$(cloud lb create --name "$NAME" --tag "webapp=$1" | jq -s .)
  fi
elif [[ $POSITION != none ]]; then
  LEFT=$(cloud lb list --tag "webapp=$1")
  jq -r '.[].id' <<<"$LEFT" | while read -r ID; do
    cloud lb delete "$ID" 2>error.txt || grep -q '^not found' error.txt
  done
  patch_json "[{\"op\":\"test\",\"path\":\"/metadata/finalizers/$POSITION\",\"value\":\"$GUARD\"},{\"op\":\"remove\",\"path\":\"/metadata/finalizers/$POSITION\"}]"
fi
if [[ $DELETED == true ]]; then exit 0; fi

REF=$(jq -r '.spec.configRef // empty' <<<"$WEBAPP")
BASE=null STATE=Ready
if [[ -n $REF ]]; then
  if DEPENDENCY=$("${KUBECTL[@]}" get configmap "$REF" -o json 2>error.txt); then
    BASE=$(jq '.data.base' <<<"$DEPENDENCY")
  elif ! grep -q '(NotFound)' error.txt; then
    cat error.txt >&2
    exit 1
  fi
  if [[ $BASE == null ]]; then STATE=Waiting; fi
fi

if [[ $STATE == Ready ]]; then
  CHILD=$(jq -c --argjson base "$BASE" '{
    metadata: {labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
      ownerReferences: [{apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}]},
    data: {message: .spec.message, replicas: "\(.spec.replicas)", base: $base}}' <<<"$WEBAPP")
  NOW=$("${KUBECTL[@]}" get configmap "$NAME-config" -o json --ignore-not-found)
  if [[ -n $NOW ]] && jq -e '.metadata.annotations["other.example.com/n"] != null' <<<"$NOW" >/dev/null; then
    STATE=Touched
  fi
fi
if [[ $STATE == Ready ]]; then
  if [[ -z $NOW ]]; then
    "${KUBECTL[@]}" create -f - >/dev/null < <(jq -c --arg n "$NAME-config" '{apiVersion: "v1", kind: "ConfigMap"} * . | .metadata.name = $n | if .data.base == null then del(.data.base) else . end' <<<"$CHILD")
  elif ! jq -e --argjson want "$CHILD" '. as $have | ($have * $want | if .data.base == null then del(.data.base) else . end) == $have' <<<"$NOW" >/dev/null; then
    "${KUBECTL[@]}" patch configmap "$NAME-config" --type=strategic -p "$CHILD" >/dev/null
  fi
fi

STATUS=$(jq -c --arg state "$STATE" --argjson items "$ITEMS" --argjson generation "$GENERATION" --arg now "$(date --utc +%FT%TZ)" '
  {Ready: ["True", "Ready", "Reconciled"], Waiting: ["False", "Pending", "DependencyNotFound"], Touched: ["False", "Pending", "TouchedByOthers"]}[$state] as [$status, $phase, $reason]
  | [.status.conditions[]? | select(.type == "Ready")][0] as $last
  | {observedGeneration: $generation, phase: $phase,
     loadBalancer: ($items[0] // null | if . then {id, address} else null end),
     conditions: [{type: "Ready", status: $status, reason: $reason, message: "",
       lastTransitionTime: (if $last.status == $status then $last.lastTransitionTime else $now end)}]}' <<<"$WEBAPP")
if ! jq -e --argjson s "$STATUS" '(.status // {}) == ($s | if .loadBalancer == null then del(.loadBalancer) else . end)' <<<"$WEBAPP" >/dev/null; then
  "${KUBECTL[@]}" patch webapp "$NAME" --subresource=status --type=merge -p "{\"status\":$STATUS}" >/dev/null
fi
if [[ -n $REF ]]; then
  jq -nc --arg reason "$(jq -r '.conditions[0].reason' <<<"$STATUS")" '{$reason, requeueAfter: "30s"}'
fi
