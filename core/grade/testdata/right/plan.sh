#!/usr/bin/env bash
# Reads everything first; one jq program makes a plan, a loop carries it out.
set -euo pipefail
ns=${1%%/*}
name=${1##*/}

app=$(kubectl get webapps -n "$ns" "$name" -o json --ignore-not-found)
if [ -z "$app" ]; then exit 0; fi
ref=$(jq -r '.spec.configRef // ""' <<<"$app")
dep=null
if [ -n "$ref" ]; then dep=$(kubectl get cm -n "$ns" "$ref" -o json --ignore-not-found); fi
child=$(kubectl get cm -n "$ns" "$name-config" -o json --ignore-not-found)
lbs=$(cloud lb list --tag "webapp=$ns/$name")

observed=$(jq -n --argjson app "$app" --argjson dep "${dep:-null}" --argjson child "${child:-null}" --argjson lbs "$lbs" '$ARGS.named')

plan=$(jq -c '
  "lab.example.com/cloud" as $fin
  | .app as $app | (.app.metadata.finalizers // []) as $fins
  | def setfins($to): {do: "finalizers", patch: {metadata: {resourceVersion: $app.metadata.resourceVersion, finalizers: $to}}};
    def drop: (.lbs[] | {do: "delete", id}), setfins($fins - [$fin]);
  if $app.metadata.deletionTimestamp then
    if $fins | index($fin) then drop else empty end
  else
    ((if $app.spec.loadBalancer then
        (if $fins | index($fin) then empty else setfins($fins + [$fin]) end),
        (if .lbs == [] then {do: "create-lb"} else (.lbs[1:][] | {do: "delete", id}) end)
      elif $fins | index($fin) then drop
      else empty end),
     ((($app.spec.configRef // "") != "" and (.dep.data.base == null)) as $waiting
      | if $waiting then empty else
        ({message: $app.spec.message, replicas: "\($app.spec.replicas)"} + (if ($app.spec.configRef // "") != "" then {base: .dep.data.base} else {} end)) as $data
        | [$app | {apiVersion, kind, name: .metadata.name, uid: .metadata.uid, controller: true, blockOwnerDeletion: true}] as $owners
        | if .child == null then
            {do: "create", object: {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "\($app.metadata.name)-config", namespace: $app.metadata.namespace,
               labels: {"app.kubernetes.io/managed-by": "reconcile-lab"}, ownerReferences: $owners}, data: $data}}
          else
            (.child | .metadata.labels["app.kubernetes.io/managed-by"] = "reconcile-lab" | .metadata.ownerReferences = $owners
               | .data = ((.data // {}) | del(.base)) + $data) as $next
            | if $next == .child then empty else {do: "replace", object: $next} end
          end
        end)
    ), {do: "status", waiting: (($app.spec.configRef // "") != "" and (.dep.data.base == null))}
  end' <<<"$observed")

lb=$(jq -c '.[0] // null' <<<"$lbs")
while IFS= read -r step; do
  [ -n "$step" ] || continue
  case $(jq -r .do <<<"$step") in
    finalizers) app=$(kubectl patch webapp -n "$ns" "$name" --type=merge -p "$(jq -c .patch <<<"$step")" -o json) ;;
    create-lb) lb=$(cloud lb create --name "$name" --tag "webapp=$ns/$name") ;;
    delete)
      id=$(jq -r .id <<<"$step")
      if ! msg=$(cloud lb delete "$id" 2>&1); then
        [ "$msg" = "not found: $id" ] || { echo "$msg" >&2; exit 1; }
      fi ;;
    create) jq .object <<<"$step" | kubectl create -f - >&2 ;;
    replace) jq .object <<<"$step" | kubectl replace -f - >&2 ;;
    status)
      [ "$(jq .spec.loadBalancer <<<"$app")" = true ] || lb=null
      new=$(jq --argjson step "$step" --argjson lb "$lb" '
        (if $step.waiting then ["Pending", "False", "DependencyNotFound"] else ["Ready", "True", "Ok"] end) as [$p, $s, $r]
        | (.status.conditions // [] | map(select(.type == "Ready")) | .[0]) as $o
        | .status = ((.status // {}) + {observedGeneration: .metadata.generation, phase: $p,
            conditions: [{type: "Ready", status: $s, reason: $r,
              lastTransitionTime: (if $o.status == $s then $o.lastTransitionTime else now | strftime("%Y-%m-%dT%H:%M:%SZ") end)}]} | del(.loadBalancer))
        | if $lb then .status.loadBalancer = ($lb | {id, address}) else . end' <<<"$app")
      if ! jq -en --argjson a "$app" --argjson b "$new" '$a.status == $b.status' >/dev/null; then
        kubectl replace -f - --subresource=status <<<"$new" >&2
      fi ;;
  esac
done <<<"$plan"
if [ -n "$ref" ]; then echo '{"requeueAfter":"2m"}'; fi
