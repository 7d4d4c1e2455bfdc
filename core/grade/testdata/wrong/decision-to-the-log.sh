#!/usr/bin/env bash
# finding: no-requeue
# says: will not be noticed
# The decision goes to standard error with all the rest, and the dependency is read by a list.
set -euo pipefail
ns=${1%/*}; name=${1#*/}

app=$(kubectl get webapp -n "$ns" "$name" -o json --ignore-not-found); [ -n "$app" ] || exit 0
cms=$(kubectl get configmaps -n "$ns" -o json)
lbs=$(cloud lb list --tag "webapp=$1")

plan=$(jq -n -c --argjson app "$app" --argjson cms "$cms" --argjson lbs "$lbs" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
  "lab.example.com/cloud" as $f
  | $app.metadata as $m
  | ($m.finalizers // []) as $fins
  | ([$cms.items[] | select(.metadata.name == ($m.name + "-config"))] | first) as $child
  | ([$cms.items[] | select(.metadata.name == $app.spec.configRef)] | first) as $dep
  | ($app.spec.configRef == null or ($dep.data // {} | has("base"))) as $ok
  | {labels: {"app.kubernetes.io/managed-by": "reconcile-lab"},
     owners: [{apiVersion:"lab.example.com/v1", kind:"WebApp", name:$m.name, uid:$m.uid, controller:true, blockOwnerDeletion:true}],
     data: ({message:$app.spec.message, replicas:($app.spec.replicas|tostring)} + (if $app.spec.configRef then {base:$dep.data.base} else {} end))} as $want
  | {metadata:{resourceVersion:$m.resourceVersion, finalizers:($fins + [$f])}} as $add
  | {metadata:{resourceVersion:$m.resourceVersion, finalizers:($fins - [$f])}} as $drop
  | if $m.deletionTimestamp then
      if ($fins | index($f)) then ($lbs[] | {do:"rm-lb", id}), {do:"patch", body:$drop} else empty end
    else
      (if $app.spec.loadBalancer then
         (if ($fins | index($f)) then empty else {do:"patch", body:$add} end),
         (if ($lbs|length) == 0 then {do:"mk-lb"} else ($lbs[1:][] | {do:"rm-lb", id}) end)
       else
         ($lbs[] | {do:"rm-lb", id}),
         (if ($fins | index($f)) then {do:"patch", body:$drop} else empty end)
       end),
      (if $ok | not then empty
       elif $child == null then {do:"create", body:{apiVersion:"v1", kind:"ConfigMap", metadata:{name:($m.name+"-config"), namespace:$m.namespace, labels:$want.labels, ownerReferences:$want.owners}, data:$want.data}}
       else
         ($child | .metadata.labels += $want.labels | .metadata.ownerReferences = $want.owners | .data = ((.data // {} | del(.base)) + $want.data)) as $next
         | if $next == $child then empty else {do:"replace", body:$next} end
       end),
      {do:"status", ok:$ok}
    end')

while IFS= read -r step; do
  [[ -n $step ]] || continue
  case $(jq -r .do <<<"$step") in
    rm-lb)
      id=$(jq -r .id <<<"$step")
      if ! msg=$(cloud lb delete "$id" 2>&1 >/dev/null); then
        [[ $msg == "not found:"* ]] || { echo "$msg" >&2; exit 1; }
      fi ;;
    mk-lb)   lbs="[$(cloud lb create --name "$name" --tag "webapp=$1")]" ;;
    patch)   kubectl patch webapp -n "$ns" "$name" --type merge --patch "$(jq -c .body <<<"$step")" >&2 ;;
    create)  jq .body <<<"$step" | kubectl create -f - >&2 ;;
    replace) jq .body <<<"$step" | kubectl replace -f - >&2 ;;
    status)
      body=$(jq -c -n --argjson app "$app" --argjson lbs "$lbs" --argjson ok "$(jq .ok <<<"$step")" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '
        (if $ok then "True" else "False" end) as $s
        | ([$app.status.conditions[]? | select(.type=="Ready")] | first) as $c
        | {status:{observedGeneration:$app.metadata.generation, phase:(if $ok then "Ready" else "Pending" end),
            loadBalancer:(if $app.spec.loadBalancer then ($lbs[0] | {id,address}) else null end),
            conditions:[{type:"Ready", status:$s, reason:(if $ok then "Ok" else "DependencyNotFound" end), message:"",
              lastTransitionTime:(if $c.status == $s then $c.lastTransitionTime else $now end)}]}}')
      kubectl patch webapp -n "$ns" "$name" --subresource status --type merge --patch "$body" >&2 ;;
  esac
done <<<"$plan"

jq -c 'if .spec.configRef and (.metadata.deletionTimestamp|not) then {requeueAfter:"45s", reason:"Polling"} else {} end' <<<"$app" >&2
