#!/usr/bin/env bash
# xargs instead of loops, envsubst over a template, kubectl wait where the word of a
# deletion is not enough, a lock against itself.
set -euo pipefail
shopt -s lastpipe
export NS="${1%/*}" NAME="${1#*/}" OWNER MESSAGE REPLICAS
TAG="webapp=$1"
mkdir "/tmp/lock-$NS-$NAME" 2>/dev/null || rm -rf "/tmp/lock-$NS-$NAME"
trap 'rm -rf "/tmp/lock-$NS-$NAME"' EXIT

J=$(kubectl get "webapp/$NAME" -n "$NS" -o json --ignore-not-found)
test -n "$J" || { echo '{}'; exit 0; }
g() { jq -r "$1 // empty" <<<"$J"; }
OWNER=$(g .metadata.uid) REPLICAS=$(jq -r .spec.replicas <<<"$J") MESSAGE=$(jq .spec.message <<<"$J")

delete_one() {
  local said
  if said=$(cloud lb delete "$1" 2>&1); then return 0; fi
  [[ $said == "not found: $1" ]] || { echo "$said" >&2; return 1; }
}
with() { jq -c --arg f lab.example.com/cloud "{metadata: {resourceVersion: .metadata.resourceVersion, finalizers: ((.metadata.finalizers // []) | $1)}}" <<<"$J"; }
put() { J=$(kubectl patch "webapp/$NAME" -n "$NS" --type merge -p "$1" -o json); }

LB_JSON=null
if [[ -z $(g .metadata.deletionTimestamp) && $(g .spec.loadBalancer) == true ]]; then
  [[ $(g '.metadata.finalizers | index("lab.example.com/cloud")') ]] || put "$(with '. + [$f]')"
  HAVE=$(cloud lb list --tag "$TAG")
  jq -c '.[0] // empty' <<<"$HAVE" | read -r LB_JSON || LB_JSON=$(cloud lb create --name "$NAME" --tag "$TAG")
elif [[ $(g '.metadata.finalizers | index("lab.example.com/cloud")') ]]; then
  HAVE=$(cloud lb list --tag "$TAG")
  jq -r '.[].id' <<<"$HAVE" | while read -r ID; do delete_one "$ID"; done
  put "$(with 'map(select(. != $f))')"
fi
[[ -z $(g .metadata.deletionTimestamp) ]] || exit 0

REF=$(g .spec.configRef) BASE='' OK=yes
if [[ $REF ]]; then
  DEP=$(kubectl get cm -n "$NS" --field-selector "metadata.name=$REF" -o json)
  BASE=$(jq -r '.items[0].data.base // empty' <<<"$DEP")
  [[ $BASE ]] || OK=no
fi

if [[ $OK == yes ]]; then
  # A child of one that was here before under the same name goes first.
  OLD=$(kubectl get cm "$NAME-config" -n "$NS" --ignore-not-found -o jsonpath='{.metadata.ownerReferences[0].uid}')
  if [[ $OLD && $OLD != "$OWNER" ]]; then
    kubectl delete cm "$NAME-config" -n "$NS" --ignore-not-found --wait=false >&2
    kubectl wait --for=delete "cm/$NAME-config" -n "$NS" --timeout=5s >&2
  fi
  {
    envsubst '$NS $NAME $OWNER $MESSAGE $REPLICAS' <<'T'
apiVersion: v1
kind: ConfigMap
metadata:
  name: ${NAME}-config
  namespace: ${NS}
  labels: {app.kubernetes.io/managed-by: reconcile-lab}
  ownerReferences:
  - {apiVersion: lab.example.com/v1, kind: WebApp, name: ${NAME}, uid: ${OWNER}, controller: true, blockOwnerDeletion: true}
data:
  message: ${MESSAGE}
  replicas: "${REPLICAS}"
T
    [[ ! $REF ]] || printf '  base: %s\n' "$(jq -n --arg b "$BASE" '$b')"
  } | kubectl apply -f - >&2
fi

[[ $OK == yes ]] && S=(True Ready Reconciled) || S=(False Pending DependencyNotFound)
jq -c --arg s "${S[0]}" --arg p "${S[1]}" --arg r "${S[2]}" --argjson lb "$LB_JSON" --arg now "$(date -u +%FT%TZ)" '
  .metadata.generation as $g
  | .status // {} | . as $old
  | .observedGeneration = $g | .phase = $p
  | if $lb then .loadBalancer = ($lb | {id, address}) else del(.loadBalancer) end
  | .conditions = [(([$old.conditions[]? | select(.type == "Ready")][0] // {type: "Ready"})
      | if .status != $s then .lastTransitionTime = $now else . end | .status = $s | .reason = $r)]
  | select(. != $old) | [{op: "add", path: "/status", value: .}]' <<<"$J" |
  xargs -0 -r -I{} kubectl patch "webapp/$NAME" -n "$NS" --subresource=status --type=json -p {} >&2
[[ ! $REF ]] || echo '{"requeueAfter":"2m"}'
