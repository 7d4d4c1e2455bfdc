#!/usr/bin/env bash
# No jq: everything is read with JSONPath, one field at a time, and written with
# kubectl's own commands.
set -euo pipefail

ns=${1%%/*}
name=${1##*/}
finalizer=lab.example.com/cloud

field() { # field JSONPATH: of the WebApp as it is now
  kubectl get webapp "$name" -n "$ns" --ignore-not-found -o jsonpath="{$1}"
}

uid=$(field .metadata.uid)
if [[ -z $uid ]]; then
  echo "$1 is gone" >&2
  exit 0
fi
finalizers=$(field '.metadata.finalizers[*]')
deleted=$(field .metadata.deletionTimestamp)
wants=$(field .spec.loadBalancer)

has() { case " $finalizers " in *" $finalizer "*) return 0 ;; esac; return 1; }

# set_finalizers NAME...: all of them, unless somebody was faster.
set_finalizers() {
  local list="" f rv
  rv=$(field .metadata.resourceVersion)
  if [[ $(field '.metadata.finalizers[*]') != "$finalizers" ]]; then
    echo "the finalizers have changed, once more" >&2
    exit 1
  fi
  for f in "$@"; do list+="${list:+,}\"$f\""; done
  kubectl patch webapp "$name" -n "$ns" --type=merge \
    -p "{\"metadata\":{\"resourceVersion\":\"$rv\",\"finalizers\":[$list]}}" >&2
}

without() {
  local f
  for f in $finalizers; do
    [[ $f == "$finalizer" ]] || printf '%s\n' "$f"
  done
}

if [[ -n $deleted || $wants != true ]]; then
  if has; then
    list=$(cloud lb list --tag "webapp=$1")
    ids=$(grep -o '"id": *"[^"]*"' <<<"$list" | cut -d'"' -f4 || true)
    for id in $ids; do
      out=$(cloud lb delete "$id" 2>&1) || [[ $out == "not found: $id" ]] || { echo "$out" >&2; exit 1; }
    done
    # shellcheck disable=SC2046
    set_finalizers $(without)
  fi
  [[ -z $deleted ]] || exit 0
fi

lb=
if [[ $wants == true ]]; then
  if ! has; then
    # shellcheck disable=SC2086
    set_finalizers $finalizers "$finalizer"
  fi
  list=$(cloud lb list --tag "webapp=$1")
  if [[ $list == *'"id"'* ]]; then lb=$list; else lb=$(cloud lb create --name "$name" --tag "webapp=$1"); fi
fi
first() { tr -d '\n' <<<"$lb" | grep -o "\"$1\": *\"[^\"]*\"" | head -n 1 | cut -d'"' -f4; }

ref=$(field .spec.configRef)
reason=Complete
base=
if [[ -n $ref ]]; then
  found=$(kubectl get configmap "$ref" -n "$ns" --ignore-not-found -o jsonpath='{.data.base}{"/"}')
  if [[ -z $found || $found == / ]]; then reason=DependencyNotFound; else base=${found%/}; fi
fi

generation=$(field .metadata.generation)
if [[ $reason == Complete ]]; then
  child="$name-config"
  message=$(field .spec.message)
  replicas=$(field .spec.replicas)
  have=$(kubectl get configmap "$child" -n "$ns" --ignore-not-found \
    -o jsonpath='{.metadata.labels.app\.kubernetes\.io/managed-by}|{.metadata.ownerReferences[0].uid}|{.metadata.ownerReferences[0].controller}|{.metadata.ownerReferences[0].blockOwnerDeletion}|{.data.message}|{.data.replicas}|{.data.base}')
  if [[ $have != "reconcile-lab|$uid|true|true|$message|$replicas|$base" ]]; then
    args=(--from-literal=message="$message" --from-literal=replicas="$replicas")
    [[ -z $ref ]] || args+=(--from-literal=base="$base")
    kubectl create configmap "$child" -n "$ns" "${args[@]}" --dry-run=client -o yaml |
      kubectl label -f - --local -o yaml app.kubernetes.io/managed-by=reconcile-lab |
      kubectl patch -f - --local --type=merge -o yaml -p "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"lab.example.com/v1\",\"kind\":\"WebApp\",\"name\":\"$name\",\"uid\":\"$uid\",\"controller\":true,\"blockOwnerDeletion\":true}]}}" |
      kubectl apply -f - >&2
  fi
fi

if [[ $reason == Complete ]]; then phase=Ready ready=True; else phase=Pending ready=False; fi
id= address=
if [[ -n $lb ]]; then id=$(first id) address=$(first address); fi
said=$(field '.status.observedGeneration}|{.status.phase}|{.status.loadBalancer.id}|{.status.loadBalancer.address}|{.status.conditions[?(@.type=="Ready")].status}|{.status.conditions[?(@.type=="Ready")].reason')
if [[ $said != "$generation|$phase|$id|$address|$ready|$reason" ]]; then
  since=$(field ".status.conditions[?(@.status==\"$ready\")].lastTransitionTime")
  [[ -n $since ]] || since=$(date -u +%Y-%m-%dT%H:%M:%SZ)
  balancer=null
  [[ -z $id ]] || balancer="{\"id\":\"$id\",\"address\":\"$address\"}"
  kubectl patch webapp "$name" -n "$ns" --subresource=status --type=merge -p "{\"status\":{
    \"observedGeneration\":$generation,\"phase\":\"$phase\",\"loadBalancer\":$balancer,
    \"conditions\":[{\"type\":\"Ready\",\"status\":\"$ready\",\"reason\":\"$reason\",\"lastTransitionTime\":\"$since\"}]}}" >&2
fi
if [[ -n $ref ]]; then
  echo "{\"requeueAfter\":\"30s\",\"reason\":\"$reason\"}"
fi
