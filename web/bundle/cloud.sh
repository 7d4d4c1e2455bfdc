#!/usr/bin/env bash
# Stands in for a cloud: load balancers and databases that live outside the cluster, kept in a file.
#
#   cloud TYPE create --name NAME [--tag KEY=VALUE]...    always makes a new one, with a new id
#   cloud TYPE list [--name NAME] [--tag KEY=VALUE]...
#   cloud TYPE get ID
#   cloud TYPE delete ID
#
# TYPE is lb or db. Exit status 1: there is no such thing; 2: the command line is no good. The file is
# cloud.json in CLOUD_DIR, or in the bundle's folder: delete it, and the cloud is empty again.
set -euo pipefail

usage='usage: cloud TYPE list [--name NAME] [--tag KEY=VALUE]...
       cloud TYPE create --name NAME [--tag KEY=VALUE]...
       cloud TYPE get ID
       cloud TYPE delete ID
TYPE is lb or db.'

bad() {
  printf 'cloud: %s\n%s\n' "$1" "$usage" >&2
  exit 2
}

(($# >= 2)) || bad 'a type and a verb are required'
type=$1 verb=$2
shift 2
[[ $type == lb || $type == db ]] || bad "unknown type \"$type\""
selects='' id='' name='' tags='{}'
case $verb in
  create | list) selects=yes ;;
  get | delete) ;;
  *) bad "unknown verb \"$verb\"" ;;
esac

while (($# > 0)); do
  arg=$1 flag=${1%%=*}
  shift
  if [[ $selects && ($flag == --name || $flag == --tag) ]]; then
    if [[ $arg == *=* ]]; then
      value=${arg#*=}
    else
      (($# > 0)) || bad "$flag needs a value"
      value=$1
      shift
    fi
    if [[ $flag == --name ]]; then
      name=$value
    else
      [[ $value == ?*=* && ${value%%=*} ]] || bad "--tag wants KEY=VALUE, not \"$value\""
      tags=$(jq -c --arg k "${value%%=*}" --arg v "${value#*=}" '.[$k] = $v' <<<"$tags")
    fi
  elif [[ $arg == -* ]]; then
    bad "unknown flag $arg"
  elif [[ $selects || $id ]]; then
    bad "unexpected argument \"$arg\""
  else
    id=$arg
  fi
done
[[ $verb != create || $name ]] || bad '--name is required'
[[ $selects || $id ]] || bad 'an ID is required'

dir=${CLOUD_DIR:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
file=$dir/cloud.json
# One at a time: whoever makes the folder holds the lock.
for ((tries = 0; ; tries++)); do
  mkdir "$dir/cloud.lock" 2>/dev/null && break
  ((tries < 100)) || { echo "cloud: $dir/cloud.lock is held; remove it if no cloud command is running" >&2 && exit 1; }
  sleep 0.05
done
trap 'rmdir "$dir/cloud.lock"' EXIT
[[ -s $file ]] || echo '{"made": {}, "items": []}' >"$file"

store() { # takes the new state from its input; what is half written is never seen
  cat >"$file.new"
  mv "$file.new" "$file"
}

case $verb in
  create)
    new=$(jq --arg type "$type" --arg name "$name" --argjson tags "$tags" '
      .made[$type] = (.made[$type] // 0) + 1
      | .made[$type] as $n
      | ([.made[]] | add) as $all
      | {id: "\($type)-\("0000\($n)" | .[(if $n > 9999 then 4 else -4 end):])", type: $type, name: $name,
         address: (if $all <= 254 then "203.0.113.\($all)" else "198.18.\($all / 256 | floor).\($all % 256)" end), tags: $tags} as $item
      | .items += [$item]' "$file")
    store <<<"$new"
    jq -c '.items[-1] | .tags |= (to_entries | sort_by(.key) | from_entries)' <<<"$new"
    ;;
  list)
    jq -c --arg type "$type" --arg name "$name" --argjson tags "$tags" '
      [.items[] | select(.type == $type and ($name == "" or .name == $name))
        | select(. as $item | all($tags | to_entries[]; $item.tags[.key] == .value))
        | .tags |= (to_entries | sort_by(.key) | from_entries)]' "$file"
    ;;
  get | delete)
    item=$(jq -c --arg type "$type" --arg id "$id" 'first(.items[] | select(.type == $type and .id == $id))
      | .tags |= (to_entries | sort_by(.key) | from_entries)' "$file")
    if [[ -z $item ]]; then
      echo "not found: $id" >&2
      exit 1
    fi
    if [[ $verb == get ]]; then
      printf '%s\n' "$item"
    else
      new=$(jq --arg id "$id" '.items |= map(select(.id != $id))' "$file")
      store <<<"$new"
    fi
    ;;
esac
