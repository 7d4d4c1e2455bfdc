#!/usr/bin/env bash
# Runs reconcile/reconcile.sh as a controller of the cluster that kubectl talks to: watches the resource and what it
# owns, and calls the script with one key at a time (NAMESPACE/NAME; NAME where there are no namespaces).
#
#   ./run.sh          until Ctrl-C
#   ./run.sh --once   one pass for each object that is there; exit status 1 if one failed
#
# What the script prints last, a JSON object such as {"requeueAfter": "30s", "reason": "DependencyNotFound"}, decides
# when the key comes again; no JSON: when something changes. An exit status that is not 0 is an error: the key comes
# back after 5 ms, then twice as long each time, up to 1000 s, until a pass succeeds.
#
# lab.env names the resource. Needs kubectl, jq 1.6 or later and bash 5.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"

fail() {
  echo "run.sh: $1" >&2
  exit 2
}

((BASH_VERSINFO[0] >= 5)) || fail "bash 5 is needed, this is $BASH_VERSION"
for program in kubectl jq; do
  command -v "$program" >/dev/null || fail "$program is not on PATH"
done
once=''
case ${1-} in
  --once) once=yes ;;
  '') ;;
  *) fail 'usage: ./run.sh [--once]' ;;
esac

# shellcheck source=/dev/null
. ./lab.env
export KIND PLURAL GROUP VERSION
export PATH="$here/bin:$PATH"
resource=$PLURAL${GROUP:+.$VERSION.$GROUP}

# ---- the queue: when each key is due, in milliseconds, and how often it failed ----

declare -A due=() failures=()

now=0
look_at_clock() {
  local t=${EPOCHREALTIME/[.,]/}
  now=$((t / 1000))
}

say() { # key, words
  printf '%(%H:%M:%S)T  %-28s  %s\n' -1 "$1" "$2" >&2
}

add() { # key, delay in milliseconds: a key stands in the queue once, with the sooner of its times
  look_at_clock
  local at=$((now + $2))
  if [[ -z ${due[$1]-} ]] || ((at < due[$1])); then
    due[$1]=$at
  fi
}

# The key that is due first, and in how many milliseconds; both empty where there is none.
next_key='' next_in=''
next() {
  next_key='' next_in=''
  local key
  for key in "${!due[@]}"; do
    if [[ -z $next_key ]] || ((due[$key] < due[$next_key])); then
      next_key=$key
    fi
  done
  if [[ $next_key ]]; then
    look_at_clock
    next_in=$((due[$next_key] > now ? due[$next_key] - now : 0))
  fi
}

# ---- a pass, and what is decided after it ----

# Reads what a script printed; answers "WAIT REASON" with WAIT in milliseconds, nothing, or an error.
read -r -d '' decision <<'JQ'
def trimmed: sub("^\\s+"; "") | sub("\\s+$"; "");
def milliseconds:
  if type != "string" then error("requeueAfter is \(tojson): it must be a duration in a string, such as \"30s\"")
  elif test("^(([0-9]+[.]?[0-9]*|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+$") | not then error("requeueAfter \(tojson) is no duration: write \"30s\", \"1m30s\" or \"500ms\"")
  else [scan("([0-9.]+)(ns|us|µs|μs|ms|s|m|h)")
    | (.[0] | tonumber) * {ns: 1e-6, us: 1e-3, "µs": 1e-3, "μs": 1e-3, ms: 1, s: 1000, m: 60000, h: 3600000}[.[1]]] | add
  end
  | if . > 0 then . else error("requeueAfter is not positive: leave it away where nothing is to be asked again") end;
trimmed as $out
| [$out | match("[{[]"; "g").offset] | reverse
| [.[] as $at | $out[$at:] | try fromjson catch empty] | first
| if type == "object" then
    if .requeueAfter == null then empty else "\(.requeueAfter | milliseconds | ceil) \(.reason // "")" end
  else
    ($out | split("\n") | last // "" | trimmed)
    | if test("^[{}]") then error("the last line of the output looks like JSON and is none: \(.)") else empty end
  end
JQ

reconcile() { # key; status 1 where the pass failed
  local key=$1 out status decided
  out=$(cd reconcile && bash "$here/reconcile/reconcile.sh" "$key" </dev/null)
  status=$?
  decided=''
  if ((status == 0)); then
    if ! decided=$(jq -Rrs "$decision" <<<"$out" 2>&1); then
      say "$key" "the decision: ${decided#jq: error (at <stdin>:[0-9]*): }"
      status=1
    fi
  fi
  if ((status != 0)); then
    local n=${failures[$key]-0}
    local delay=$((n > 17 ? 1000000 : 5 << n))
    ((delay <= 1000000)) || delay=1000000
    failures[$key]=$((n + 1))
    add "$key" "$delay"
    say "$key" "failed with exit status $status, again in $delay ms"
    return 1
  fi
  unset "failures[$key]"
  if [[ $decided ]]; then
    add "$key" "${decided%% *}"
    say "$key" "ok, again in ${decided/ / ms }"
  else
    say "$key" ok
  fi
}

# ---- where keys come from ----

each='if (.kind // "" | endswith("List")) and (.items | type) == "array" then .items[] else . end | .metadata'
slashed='((.namespace // "") | if . == "" then "" else . + "/" end)'
own="$each | $slashed + .name"
owner="$each | . as \$m | .ownerReferences[]? | select(.controller and .kind == env.KIND) | (\$m | $slashed) + .name"

if [[ $once ]]; then
  keys=$(kubectl get "$resource" -A -o json | jq -r "$own") || fail "kubectl get $resource failed"
  failed=0
  while read -r key; do
    [[ -z $key ]] || reconcile "$key" || failed=1
  done <<<"$keys"
  exit "$failed"
fi

kubectl get "$resource" -A -o name >/dev/null || fail "kubectl get $resource failed: is the definition applied? See README.md"

# Each watch is a process group of its own, so that it ends with all that it started.
pipe=$(mktemp -d)
watches=()
finish() {
  local w
  for w in "${watches[@]}"; do kill -- "-$w" 2>/dev/null; done
  rm -rf "$pipe"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkfifo "$pipe/keys"
exec 3<>"$pipe/keys"

watch() { # resource, which key of an object
  while :; do
    kubectl get "$1" -A --watch -o json | jq --unbuffered -r "$2" >&3
    # A server ends a watch now and then. A new one tells of everything again.
    sleep 1
  done
}

set -m
watch "$resource" "$own" & watches+=($!)
for owned in $OWNS; do
  watch "$owned" "$owner" & watches+=($!)
done
set +m
disown -a

say "$resource" "is watched on $(kubectl config current-context 2>/dev/null || echo 'the cluster of kubectl'), with ${OWNS:-nothing} owned"
while :; do
  while read -r -t 0 -u 3 && read -r -u 3 key; do add "$key" 0; done
  next
  if [[ -z $next_key ]]; then
    read -r -u 3 key && add "$key" 0
  elif ((next_in > 0)); then
    printf -v seconds '%d.%03d' $((next_in / 1000)) $((next_in % 1000))
    read -r -t "$seconds" -u 3 key && add "$key" 0
  else
    unset "due[$next_key]"
    reconcile "$next_key"
  fi
done
