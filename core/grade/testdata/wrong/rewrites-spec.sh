#!/usr/bin/env bash
# finding: foreign-write
# says: spec
# Puts a default into the spec of the WebApp.
set -euo pipefail
IFS=/ read -r NS NAME <<<"$1"
FIN=lab.example.com/cloud
TAG="webapp=$NS/$NAME"

json=$(kubectl get "$PLURAL.$GROUP" "$NAME" --namespace "$NS" --ignore-not-found --output json)
[[ $json ]] || exit 0
q() { jq --raw-output "$@" <<<"$json"; }
if [[ $(q '.spec.configRef // ""') == "" && $(q '.metadata.deletionTimestamp // ""') == "" ]]; then
  kubectl patch webapp "$NAME" -n "$NS" --type=merge -p '{"spec":{"configRef":"defaults"}}' >&2
fi

message=$(q .spec.message)
replicas=$(q .spec.replicas)
ref=$(q '.spec.configRef // ""')
want_lb=$(q .spec.loadBalancer)
going=$(q '.metadata.deletionTimestamp // ""')
at=$(q --arg f "$FIN" '.metadata.finalizers // [] | index($f) // ""')

drop_lbs() {
  local lbs id msg
  lbs=$(cloud lb list --tag "$TAG")
  for id in $(jq -r '.[] | .id' <<<"$lbs"); do
    if ! msg=$(cloud lb delete "$id" 2>&1 >/dev/null) && [[ $msg != "not found:"* ]]; then
      echo "$msg" >&2
      return 1
    fi
  done
}

if [[ $going || $want_lb != true ]]; then
  if [[ $at ]]; then
    drop_lbs
    kubectl patch webapp "$NAME" -n "$NS" --type json -p "[
      {\"op\":\"test\",\"path\":\"/metadata/finalizers/$at\",\"value\":\"$FIN\"},
      {\"op\":\"remove\",\"path\":\"/metadata/finalizers/$at\"}]" >/dev/null
  fi
  [[ ! $going ]] || exit 0
  lb='{}'
else
  if [[ ! $at ]]; then
    if [[ $(q '.metadata.finalizers // [] | length') == 0 ]]; then
      patch='[{"op":"test","path":"/metadata/resourceVersion","value":"'$(q .metadata.resourceVersion)'"},{"op":"add","path":"/metadata/finalizers","value":["'$FIN'"]}]'
    else
      patch='[{"op":"add","path":"/metadata/finalizers/-","value":"'$FIN'"}]'
    fi
    kubectl patch webapp "$NAME" -n "$NS" --type json -p "$patch" >/dev/null
  fi
  lbs=$(cloud lb list --tag "$TAG")
  if [[ $lbs == "[]" ]]; then
    one=$(cloud lb create --name "$NAME" --tag "$TAG")
  else
    one=$(jq '.[0]' <<<"$lbs")
  fi
  lb=$(jq -c '{loadBalancer: {id, address}}' <<<"$one")
fi

phase=Ready ready=True reason=AsDesired base_line=
if [[ $ref ]]; then
  if ! dep=$(kubectl get cm "$ref" -n "$NS" -o json 2>/tmp/why); then
    grep -q NotFound /tmp/why || { cat /tmp/why >&2; exit 1; }
    dep='{}'
  fi
  if base=$(jq -er '.data.base' <<<"$dep"); then
    base_line="base: $(jq -n --arg b "$base" '$b')"
  else
    phase=Pending ready=False reason=DependencyNotFound
  fi
fi

if [[ $phase == Ready ]]; then
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: $NAME-config
  namespace: $NS
  labels:
    app.kubernetes.io/managed-by: reconcile-lab
  ownerReferences:
  - apiVersion: lab.example.com/v1
    kind: WebApp
    name: $NAME
    uid: $(q .metadata.uid)
    controller: true
    blockOwnerDeletion: true
data:
  message: $(jq -n --arg m "$message" '$m')
  replicas: "$replicas"
  $base_line
YAML
fi

want=$(q -c --arg phase $phase --arg ready $ready --arg reason $reason --argjson lb "$lb" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  (.status.conditions // [] | map(select(.type == "Ready"))[0]) as $old |
  {phase: $phase, observedGeneration: .metadata.generation, conditions: [
    {type: "Ready", status: $ready, reason: $reason, message: $reason,
     lastTransitionTime: (if $old.status == $ready then $old.lastTransitionTime else $now end)}]} + $lb')
have=$(q -cS '.status // {}')
if [[ $(jq -cS . <<<"$want") != "$have" ]]; then
  kubectl patch webapp "$NAME" -n "$NS" --subresource status --type json -p "[{\"op\":\"replace\",\"path\":\"/status\",\"value\":$want}]" >/dev/null
fi
if [[ $ref ]]; then
  printf '{"requeueAfter":"%s","reason":"%s"}\n' 30s "$reason"
fi
