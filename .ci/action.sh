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
git init --quiet .
git config user.name test
git config user.email test@example.org
for nodes in 300 3000; do
  # An "engine" that is built: the program with a limit of its own strength.
  printf '#!/bin/sh\nexec "%s" "$@"\n# %s nodes\n' "$smalt" "$nodes" >engine.sh
  git add engine.sh
  git commit --quiet --message "$nodes nodes"
done
export BUILD='cp engine.sh engine && chmod +x engine' ENGINE=engine TOURNAMENT=$tournament
export BASE=HEAD~1 HEAD=HEAD GITHUB_OUTPUT=$place/output GITHUB_STEP_SUMMARY=$place/summary
code=0
FLAGS='--nodes 300 --games 4' "$action" >"$place/log" 2>&1 || code=$?
[ "$code" = 11 ] || { cat "$place/log"; echo "action: exit code $code for an undecided test"; exit 1; }
grep -q '^verdict=undecided$' output
grep -q '^### SPRT: undecided$' summary
grep -q '^| pairing ' summary
[ "$(git worktree list | wc -l)" = 1 ]
echo "action: played, reported, exit code 11"
