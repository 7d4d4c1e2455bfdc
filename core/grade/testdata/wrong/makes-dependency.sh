#!/usr/bin/env bash
# Makes the ConfigMap that it should wait for.
# finding: foreign-write
# says: refers to, which others make
set -euo pipefail
NS=${1%/*} NAME=${1#*/}
FIN='lab.example.com/cloud'

get_app() { kubectl get webapp "$NAME" -n "$NS" -o json --ignore-not-found; }

# update PROGRAM [jq args] -- runs the jq program over the live WebApp and puts it back if that changed it
update() {
  local how=$1 program=$2 try live next err; shift 2
  for try in 1 2 3 4 5; do
    live=$(get_app)
    if [[ -z $live ]]; then echo "gone meanwhile" >&2; exit 0; fi
    next=$(jq -c "$@" "$program" <<<"$live")
    if jq -e --argjson n "$next" '. == $n' <<<"$live" >/dev/null; then return 0; fi
    if err=$(kubectl replace ${how:+"$how"} -f - <<<"$next" 2>&1); then return 0; fi
    if [[ $err != *"(Conflict)"* ]]; then echo "$err" >&2; exit 1; fi
    sleep 0.1
  done
  echo "still in conflict after $try tries" >&2
  exit 1
}

delete_lbs() {
  local json id out
  json=$(cloud lb list --tag "webapp=$NS/$NAME")
  while read -r id; do
    if out=$(cloud lb delete "$id" 2>&1); then continue; fi
    if [[ $out == *"not found"* ]]; then continue; fi
    echo "$out" >&2
    exit 1
  done < <(jq -r '.[].id' <<<"$json")
}

app=$(get_app)
if [[ -z $app ]]; then exit 0; fi
uid=$(jq -r .metadata.uid <<<"$app")
generation=$(jq -r .metadata.generation <<<"$app")
same='if .metadata.uid != $uid then error("another object of that name") else . end | '

if [[ $(jq -r '.metadata.deletionTimestamp // empty' <<<"$app") ]]; then
  if jq -e --arg f "$FIN" '.metadata.finalizers // [] | index($f)' <<<"$app" >/dev/null; then
    delete_lbs
    update '' "$same"'.metadata.finalizers |= map(select(. != $f))' --arg f "$FIN" --arg uid "$uid"
  fi
  exit 0
fi

lb=null
if jq -e '.spec.loadBalancer == true' <<<"$app" >/dev/null; then
  update '' "$same"'if .metadata.deletionTimestamp then error("being deleted") else . end | .metadata.finalizers = ((.metadata.finalizers // []) - [$f] + [$f])' --arg f "$FIN" --arg uid "$uid"
  lbs=$(cloud lb list --tag "webapp=$NS/$NAME")
  case $(jq length <<<"$lbs") in
    0) lb=$(cloud lb create --name "$NAME" --tag "webapp=$NS/$NAME") ;;
    *) lb=$(jq 'sort_by(.id)[0]' <<<"$lbs") ;;
  esac
elif jq -e --arg f "$FIN" '.metadata.finalizers // [] | index($f)' <<<"$app" >/dev/null; then
  delete_lbs
  update '' "$same"'.metadata.finalizers |= map(select(. != $f))' --arg f "$FIN" --arg uid "$uid"
fi

ref=$(jq -r '.spec.configRef // ""' <<<"$app")
found=true base=
if [[ $ref ]]; then
  dep=$(kubectl get configmap "$ref" -n "$NS" -o json --ignore-not-found)
  if [[ $dep ]] && jq -e '.data | has("base")' <<<"$dep" >/dev/null 2>&1; then
    base=$(jq '.data.base' <<<"$dep")
  elif [[ -z $dep ]]; then
    kubectl create configmap "$ref" -n "$NS" --from-literal=base= >&2; base='""'
  else
    found=false
  fi
fi

if $found; then
  for try in 1 2 3; do
    child=$(kubectl get configmap "$NAME-config" -n "$NS" -o json --ignore-not-found)
    fresh=false
    if [[ -z $child ]]; then
      fresh=true
      child=$(jq -n --arg n "$NAME-config" --arg ns "$NS" '{apiVersion:"v1",kind:"ConfigMap",metadata:{name:$n,namespace:$ns}}')
    fi
    next=$(jq --argjson a "$app" --argjson b "${base:-null}" '
      .metadata.labels["app.kubernetes.io/managed-by"] = "reconcile-lab"
      | .metadata.ownerReferences = [{apiVersion:$a.apiVersion, kind:$a.kind, name:$a.metadata.name, uid:$a.metadata.uid, controller:true, blockOwnerDeletion:true}]
      | .data.message = $a.spec.message | .data.replicas = ($a.spec.replicas|tostring)
      | if $b == null then del(.data.base) else .data.base = $b end' <<<"$child")
    if jq -e --argjson n "$next" '. == $n' <<<"$child" >/dev/null; then break; fi
    if $fresh; then verb=create; else verb=replace; fi
    if err=$(kubectl "$verb" -f - 2>&1 <<<"$next"); then break; fi
    case $err in
      *"(Conflict)"* | *"(AlreadyExists)"* | *"(NotFound)"*) sleep 0.05 ;;
      *) echo "$err" >&2; exit 1 ;;
    esac
    if (( try == 3 )); then echo "$err" >&2; exit 1; fi
  done
fi

if $found; then status=True reason=Reconciled phase=Ready; else status=False reason=DependencyNotFound phase=Pending; fi
update --subresource=status "$same"'
  .status.observedGeneration = $g | .status.phase = $phase
  | .status.loadBalancer = ($lb | if . == null then null else {id, address} end)
  | if .status.loadBalancer == null then del(.status.loadBalancer) else . end
  | ([.status.conditions[]? | select(.type == "Ready")][0]) as $old
  | .status.conditions = [ .status.conditions[]? | select(.type != "Ready") ]
     + [{type:"Ready", status:$s, reason:$r, lastTransitionTime:(if $old.status == $s then $old.lastTransitionTime else (now|floor|todate) end)}]' \
  --arg uid "$uid" --argjson g "$generation" --argjson lb "$lb" --arg s $status --arg r $reason --arg phase $phase

if [[ $ref ]]; then echo '{"requeueAfter":"30s"}'; fi
