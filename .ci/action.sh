#!/usr/bin/env bash
# Plays the steps of the action "SPRT on a pull request" on a local repository with two commits.
#
#   action.sh SMALT SMALT_TOURNAMENT
set -euo pipefail
smalt=$(realpath "$1")
tournament=$(realpath "$2")
action=$(realpath "$(dirname "$0")/../.github/actions/sprt/sprt.sh")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
git init --quiet --initial-branch master .
git config user.name test
git config user.email test@example.org
# "Engines" that are built: the program with a fixed node limit. The target branch moves on after the first two.
for nodes in 1 3000 100; do
  printf '#!/bin/sh\nsed -u "s/^go .*/go nodes %s/" | "%s"\n' "$nodes" "$smalt" >engine.sh
  git add engine.sh
  git commit --quiet --message "$nodes nodes"
  git tag "nodes-$nodes"
done
git checkout --quiet -b patch nodes-3000
sed -i 's/3000/4000/' engine.sh
git commit --quiet --all --message '4000 nodes'
# `gh` of the test keeps what it was given.
mkdir bin
printf '#!/bin/sh\necho "$GH_TOKEN $*" >"%s/comment"\n' "$place" >bin/gh
chmod +x bin/gh
export PATH=$place/bin:$PATH SEEN=$place/seen
export BUILD='(env; tr "\0" "\n" </proc/$PPID/environ | grep ^GH_; cat engine.sh) >>"$SEEN"; cp engine.sh engine && chmod +x engine'
export ENGINE=engine TOURNAMENT=$tournament GITHUB_OUTPUT=$place/output GITHUB_STEP_SUMMARY=$place/summary
export GITHUB_ENV=$place/env PULL_REQUEST=7 TARGET=master HEAD=patch BASE=

# play CODE VERDICT: the action ends with this exit code and reports this verdict.
play() {
  local code=0
  rm -f output summary seen comment
  GH_TOKEN=secret "$action" >"$place/log" 2>&1 || code=$?
  [ "$code" = "$1" ] || { cat "$place/log"; echo "action: exit code $code instead of $1"; exit 1; }
  grep -q "^verdict=$2$" output
  grep -q "^### SPRT: $2$" summary
  grep -q '^| pairing ' summary
  grep -q '^secret pr comment 7 ' comment
  [ "$(git worktree list | wc -l)" = 1 ]
  if grep -E 'secret|^(BUILD|FLAGS|BASE|HEAD|TARGET|ENGINE|TOURNAMENT|PULL_REQUEST|GITHUB_(OUTPUT|ENV|STEP_SUMMARY))=' seen; then
    echo 'action: the build sees variables of the action'
    exit 1
  fi
}

export FLAGS='--nodes 300
  --games 4 --name "a patch"'
play 11 undecided
"$tournament" export "$(dirname "$(sed -n 's/^report=//p' output)")/run.db" | grep -q '^\[Event "a patch"\]'
# Base: the commit from which the patch branched off, not the tip of the target branch.
grep -q 'nodes 3000' seen
grep -q 'nodes 100' seen && { echo 'action: the base is the tip of the target branch'; exit 1; }
FLAGS='--model logistic --elo0 0 --elo1 200 --games 60 --nodes 300'
BASE=nodes-1 HEAD=nodes-3000 play 0 H1
BASE=nodes-3000 HEAD=nodes-1 play 10 H0
echo "action: played, reported, exit codes 11, 0 and 10"
