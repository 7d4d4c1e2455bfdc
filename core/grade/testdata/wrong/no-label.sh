#!/bin/bash
# finding: wrong-state
# says: label
# The child has no label.
set -euo pipefail
ns=$(echo "$1" | awk -F/ '{print $1}')
name=$(echo "$1" | awk -F/ '{print $2}')

line=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found --no-headers \
  -o custom-columns='UID:.metadata.uid,RV:.metadata.resourceVersion,GEN:.metadata.generation,DEL:.metadata.deletionTimestamp,LB:.spec.loadBalancer,REF:.spec.configRef,N:.spec.replicas,FIN:.metadata.finalizers')
[ -n "$line" ] || exit 0
read -r uid rv gen del lb ref n fin <<<"$line"
others=$(echo "$fin" | tr -d '[]' | tr ', ' '\n' | awk 'NF && $0 != "<none>" && $0 != "lab.example.com/cloud"')
guarded=$(echo "$fin" | grep -c 'lab\.example\.com/cloud' || :)
quote() { awk 'NF { printf "%s\"%s\"", sep, $0; sep = "," }'; }
store() { # store LIST: finalizers, if nothing has changed since
  kubectl patch webapp "$name" -n "$ns" --type json -p '[
    {"op": "test", "path": "/metadata/resourceVersion", "value": "'"$rv"'"},
    {"op": "add", "path": "/metadata/finalizers", "value": ['"$1"']}]' >&2
}

status_lb=null
if [ "$lb" = true ] && [ "$del" = "<none>" ]; then
  if [ "$guarded" -eq 0 ]; then
    store "$(printf '%s\nlab.example.com/cloud\n' "$others" | quote)"
  fi
  balancer=$(cloud lb list --tag "webapp=$ns/$name")
  if ! grep -q '"id"' <<<"$balancer"; then
    balancer=$(cloud lb create --name "$name" --tag "webapp=$ns/$name")
  fi
  status_lb=$(echo "$balancer" | tr ',{}[]' '\n' | awk -F'"' '$2 == "id" && !id { id = $4 } $2 == "address" && !a { a = $4 } END { printf "{\"id\":\"%s\",\"address\":\"%s\"}", id, a }')
elif [ "$guarded" -gt 0 ]; then
  all=$(cloud lb list --tag "webapp=$ns/$name")
  echo "$all" | tr ',{}[]' '\n' | awk -F'"' '$2 == "id" { print $4 }' >ids
  while read -r id; do
    cloud lb delete "$id" 2>problem || { grep -q '^not found: ' problem || { cat problem >&2; exit 1; }; }
  done <ids
  store "$(echo "$others" | quote)"
fi
[ "$del" = "<none>" ] || exit 0

phase=Ready ready=True reason=Configured base=
if [ "$ref" != "<none>" ]; then
  # The marker tells an empty base from a missing ConfigMap.
  base=$(kubectl get cm "$ref" -n "$ns" --ignore-not-found -o jsonpath='{.data.base}')
  [ -n "$base" ] || { phase=Pending ready=False reason=DependencyNotFound; }
fi

esc() { printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g'; }
if [ "$phase" = Ready ]; then
  message=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o jsonpath='{.spec.message}')
  data="\"message\": \"$(esc "$message")\", \"replicas\": \"$n\""
  [ "$ref" = "<none>" ] || data="$data, \"base\": \"$(esc "$base")\""
  kubectl apply -f - >&2 <<EOF
{"apiVersion": "v1", "kind": "ConfigMap",
 "metadata": {"name": "$name-config", "namespace": "$ns",
  "ownerReferences": [{"apiVersion": "lab.example.com/v1", "kind": "WebApp", "name": "$name", "uid": "$uid", "controller": true, "blockOwnerDeletion": true}]},
 "data": {$data}}
EOF
fi

was=$(kubectl get webapp "$name" -n "$ns" --ignore-not-found -o jsonpath='{range .status.conditions[*]}{.type}{" "}{.status}{" "}{.lastTransitionTime}{"\n"}{end}' |
  awk -v s="$ready" '$1 == "Ready" && $2 == s { print $3 }')
[ -n "$was" ] || was=$(date -u +"%Y-%m-%dT%H:%M:%SZ")
sed -e "s/@GEN@/$gen/" -e "s/@PHASE@/$phase/" -e "s/@READY@/$ready/" -e "s/@REASON@/$reason/" -e "s/@SINCE@/$was/" -e "s/@LB@/$status_lb/" >patch.json <<'EOF'
{"status": {"observedGeneration": @GEN@, "phase": "@PHASE@", "loadBalancer": @LB@,
  "conditions": [{"type": "Ready", "status": "@READY@", "reason": "@REASON@", "message": "", "lastTransitionTime": "@SINCE@"}]}}
EOF
kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge --patch-file patch.json >&2
if [ "$ref" != "<none>" ]; then awk -v r="$reason" 'BEGIN { printf "{\"requeueAfter\":\"30s\",\"reason\":\"%s\"}\n", r }'; fi
