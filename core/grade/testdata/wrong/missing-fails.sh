#!/bin/bash
# finding: error-for-missing-dependency
# says: somebody may create it later
# A dependency that is not there ends the pass.
set -euo pipefail
NS="${1%/*}"; NAME="${1#*/}"

vars=$(kubectl get webapp "$NAME" --namespace="$NS" --ignore-not-found -o go-template='
{{- printf "OWNER=%q\n" .metadata.uid -}}
{{- printf "RV=%q\n" .metadata.resourceVersion -}}
{{- printf "GEN=%v\n" .metadata.generation -}}
{{- if .metadata.deletionTimestamp }}GOING=yes
{{ end -}}
{{- range .metadata.finalizers }}{{ if eq . "lab.example.com/cloud" }}GUARDED=yes
{{ else }}OTHERS="$OTHERS,\"{{ . }}\""
{{ end }}{{ end -}}
{{- if .spec.loadBalancer }}WANTS=yes
{{ end -}}
{{- if .spec.configRef }}{{ printf "REF=%q\n" .spec.configRef }}{{ end -}}
{{- printf "REPLICAS=%v\n" .spec.replicas -}}')
if [ -z "$vars" ]; then exit 0; fi
GOING= GUARDED= WANTS= REF= OTHERS=
eval "$vars"
MESSAGE=$(kubectl get webapp "$NAME" -n "$NS" --ignore-not-found -o go-template='{{.spec.message}}')

guard() { # guard [NAME]: besides those of others
  local list="${OTHERS#,}${1:+,\"$1\"}"
  kubectl patch webapp "$NAME" -n "$NS" --type=merge \
    -p "{\"metadata\": {\"resourceVersion\": \"$RV\", \"finalizers\": [${list#,}]}}" >/dev/null
}

LB_ID= LB_ADDRESS=
if [ -z "$GOING" ] && [ -n "$WANTS" ]; then
  [ -n "$GUARDED" ] || guard lab.example.com/cloud
  found=$(cloud lb list --tag "webapp=$1")
  if [ "$(jq length <<<"$found")" -eq 0 ]; then
    found="[$(cloud lb create --name "$NAME" --tag "webapp=$1")]"
  fi
  LB_ID=$(jq -r '.[0].id' <<<"$found") LB_ADDRESS=$(jq -r '.[0].address' <<<"$found")
elif [ -n "$GUARDED" ]; then
  found=$(cloud lb list --tag "webapp=$1")
  while IFS= read -r id; do
    cloud lb delete "$id" 2>err || grep -qx "not found: $id" err
  done < <(jq -r '.[].id' <<<"$found")
  guard
fi
if [ -n "$GOING" ]; then exit 0; fi

READY=True PHASE=Ready REASON=Ready BASE=
if [ -n "$REF" ]; then
  BASE=$(kubectl get configmap "$REF" -n "$NS" -o go-template='{{if .data.base}}{{.data.base}}{{end}}')
  if [ -z "$BASE" ]; then READY=False PHASE=Pending REASON=DependencyNotFound; fi
fi

if [ "$READY" = True ]; then
  export NS NAME OWNER REPLICAS
  M=$(jq -n --arg m "$MESSAGE" '$m') B=$(jq -n --arg b "$BASE" '$b')
  cat >child.yaml <<EOF
apiVersion: v1
kind: ConfigMap
metadata:
  name: $NAME-config
  namespace: $NS
  labels: {app.kubernetes.io/managed-by: reconcile-lab}
  ownerReferences:
    - {apiVersion: lab.example.com/v1, kind: WebApp, name: $NAME, uid: $OWNER, controller: true, blockOwnerDeletion: true}
data:
  message: $M
  replicas: "$REPLICAS"
EOF
  if [ -n "$REF" ]; then echo "  base: $B" >>child.yaml; fi
  if kubectl diff -f child.yaml >/dev/null; then :; else
    case $? in 1) kubectl apply -f child.yaml >/dev/null ;; *) exit 1 ;; esac
  fi
fi

OLD=$(kubectl get webapp "$NAME" -n "$NS" --ignore-not-found -o go-template='{{range .status.conditions}}{{if eq .type "Ready"}}{{.status}} {{.lastTransitionTime}}{{end}}{{end}}')
SINCE=$(date -u +%FT%TZ)
if [ "${OLD% *}" = "$READY" ]; then SINCE=${OLD#* }; fi
if [ -n "$LB_ID" ]; then LB="{\"id\":\"$LB_ID\",\"address\":\"$LB_ADDRESS\"}"; else LB=null; fi
kubectl patch webapp "$NAME" -n "$NS" --subresource=status --type=merge -p "$(cat <<EOF
{"status": {"observedGeneration": $GEN, "phase": "$PHASE", "loadBalancer": $LB,
  "conditions": [{"type": "Ready", "status": "$READY", "reason": "$REASON", "lastTransitionTime": "$SINCE"}]}}
EOF
)" >/dev/null
if [ -n "$REF" ]; then printf '{"requeueAfter": "%s", "reason": "%s"}\n' 30s "$REASON"; fi
