#!/usr/bin/env bash
# No jq: jsonpath, and client-side apply of YAML where something differs.
set -uo pipefail

IFS=/ read -r ns name <<< "$1"
tag=webapp=$1
finalizer=lab.example.com/cloud
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }
kc() { kubectl --namespace "$ns" "$@"; }
webapp() { kc get webapp "$name" --ignore-not-found -o jsonpath="$1"; }

read -r -d '' template <<'T'
{.metadata.uid}|{.metadata.generation}|{.metadata.resourceVersion}|{.metadata.deletionTimestamp}|{.spec.replicas}|{.spec.configRef}|{.spec.loadBalancer}|{.status.observedGeneration}|{.status.phase}|{.status.loadBalancer.id}|{.status.conditions[?(@.type=="Ready")].status}|{.status.conditions[?(@.type=="Ready")].reason}|{.status.conditions[?(@.type=="Ready")].lastTransitionTime}|{.metadata.finalizers[*]}
T
row=$(webapp "$template") || fail "cannot read the WebApp"
[ -n "$row" ] || exit 0
IFS='|' read -r uid generation version deleted replicas ref wants seen phase_now lb_now ready_now reason_now since_now marks <<< "$row"
message=$(webapp '{.spec.message}') || fail "cannot read the WebApp"

quote() { # as a JSON string
  local s=${1//\\/\\\\}
  s=${s//\"/\\\"} s=${s//$'\n'/\\n} s=${s//$'\t'/\\t}
  printf '"%s"' "$s"
}

finalizers() { # the list without ours, then what is given
  local out=() f
  for f in $marks "$@"; do
    [[ $f == "$finalizer" && $# -eq 0 ]] || out+=("\"$f\"")
  done
  local IFS=,
  kc patch webapp "$name" --type=merge -p "{\"metadata\":{\"resourceVersion\":\"$version\",\"finalizers\":[${out[*]-}]}}" > /dev/null ||
    fail "cannot write finalizers"
}

ids() { # of our load balancers, one a line
  local json
  json=$(cloud lb list --tag "$tag") || return 1
  grep -o '"id":"[^"]*"' <<< "$json" | cut -d '"' -f 4
  return 0
}

cleanup() {
  case " $marks " in *" $finalizer "*) ;; *) return ;; esac
  local list id out
  list=$(ids) || fail "cannot list load balancers"
  for id in $list; do
    out=$(cloud lb delete "$id" 2>&1) || [[ $out == not\ found:* ]] || fail "$out"
  done
  finalizers
}

if [ -n "$deleted" ]; then cleanup; exit 0; fi

lb='' address=''
if [ "$wants" = true ]; then
  case " $marks " in *" $finalizer "*) ;; *) finalizers "$finalizer" ;; esac
  list=$(ids) || fail "cannot list load balancers"
  lb=${list%%$'\n'*}
  for extra in ${list#"$lb"}; do cloud lb delete "$extra" || fail "cannot delete $extra"; done
  if [ -n "$lb" ]; then made=$(cloud lb get "$lb"); else made=$(cloud lb create --name "$name" --tag "$tag"); fi || fail "no load balancer"
  [[ $made =~ '"id":"'([^\"]+)'"' ]] && lb=${BASH_REMATCH[1]}
  [[ $made =~ '"address":"'([^\"]+)'"' ]] && address=${BASH_REMATCH[1]}
else
  cleanup
fi

phase=Ready ready=True reason=Reconciled base='' has_base=false
if [ -n "$ref" ]; then
  found=$(kc get configmap "$ref" --ignore-not-found -o jsonpath='{range .data}{.base}{end}x') || fail "cannot read $ref"
  keys=$(kc get configmap "$ref" --ignore-not-found -o go-template='{{range $k, $v := .data}}{{$k}}{{"\n"}}{{end}}') || fail "cannot read $ref"
  if grep -qx base <<< "$keys"; then
    has_base=true
    base=${found%x}
  else
    phase=Pending ready=False reason=DependencyNotFound
  fi
fi

if [ "$ready" = True ]; then
  manifest() {
    cat <<Y
apiVersion: v1
kind: ConfigMap
metadata:
  name: $name-config
  namespace: $ns
  labels: {app.kubernetes.io/managed-by: reconcile-lab}
  ownerReferences:
  - {apiVersion: lab.example.com/v1, kind: WebApp, name: $name, uid: $uid, controller: true, blockOwnerDeletion: true}
data:
  message: $(quote "$message")
  replicas: "$replicas"
Y
    if $has_base; then echo "  base: $(quote "$base")"; fi
  }
  manifest | kc apply -f - > /dev/null || fail "cannot apply the ConfigMap"
fi

if [ "$seen|$phase_now|$lb_now|$ready_now|$reason_now" != "$generation|$phase|$lb|$ready|$reason" ]; then
  since=$since_now
  [ "$ready_now" = "$ready" ] || since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  balancer=null
  [ -z "$lb" ] || balancer="{\"id\":\"$lb\",\"address\":\"$address\"}"
  kc patch webapp "$name" --subresource=status --type=merge -p "{\"status\":{
    \"observedGeneration\":$generation,\"phase\":\"$phase\",\"loadBalancer\":$balancer,
    \"conditions\":[{\"type\":\"Ready\",\"status\":\"$ready\",\"reason\":\"$reason\",\"lastTransitionTime\":\"$since\"}]}}" > /dev/null ||
    fail "cannot write the status"
fi

if [ -n "$ref" ]; then printf '{"requeueAfter":"30s","reason":"%s"}\n' "$reason"; fi
