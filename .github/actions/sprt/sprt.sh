#!/usr/bin/env bash
# Builds two commits of the repository in the current folder, plays an SPRT between them and reports it. The environment has
# BUILD, ENGINE, BASE, HEAD, FLAGS and TOURNAMENT as action.yml describes them, TARGET (tip of the target branch, for an empty
# BASE), and GH_TOKEN and PULL_REQUEST for a comment.
# Exit code: 0 if H1 was accepted, 10 if H0 was, 11 if the test is undecided, another where something failed.
set -euo pipefail

# The builds and the engines are code of the pull request: they get no token, not even from /proc, and none of the variables
# below, which have a meaning in many a Makefile.
if [ -n "${GH_TOKEN:-}" ]; then
  exec env -u GH_TOKEN TOKEN_FD=3 "$0" 3<<<"$GH_TOKEN"
fi
token=
if [ -n "${TOKEN_FD:-}" ]; then
  read -r token <&3
  exec 3<&-
fi
export -n BUILD ENGINE BASE HEAD TARGET FLAGS TOURNAMENT PULL_REQUEST GITHUB_OUTPUT GITHUB_STEP_SUMMARY
unset TOKEN_FD GH_TOKEN GITHUB_ENV GITHUB_PATH GITHUB_STATE

# Split as a shell does, over any number of lines: quotes keep a value together.
words=$(xargs -r printf '%s\n' <<<"$FLAGS")
flags=()
[ -z "$words" ] || mapfile -t flags <<<"$words"

# What the pull request changes: commits that the target branch has got since are no part of it.
BASE=${BASE:-$(git merge-base "$TARGET" "$HEAD")}

place=$(mktemp -d)
trap 'git worktree remove --force "$place/base" 2>/dev/null || true; git worktree remove --force "$place/head" 2>/dev/null || true' EXIT
for name in base head; do
  commit=$([ "$name" = base ] && echo "$BASE" || echo "$HEAD")
  git worktree add --quiet --detach "$place/$name" "$commit"
  (cd "$place/$name" && bash -c "$BUILD")
done

code=0
"$TOURNAMENT" sprt --engine "cmd=\"$place/head/$ENGINE\" name=head" --engine "cmd=\"$place/base/$ENGINE\" name=base" \
  "${flags[@]}" --store "$place/run.db" --exit-on-verdict --quiet || code=$?
case $code in
  0) verdict=H1 ;;
  10) verdict=H0 ;;
  11) verdict=undecided ;;
  *) exit "$code" ;;
esac

report=$place/report.md
{
  echo "### SPRT: $verdict"
  echo
  "$TOURNAMENT" report "$place/run.db"
} >"$report"
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'report=%s\nverdict=%s\n' "$report" "$verdict" >>"$GITHUB_OUTPUT"
fi
cat "$report" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
if [ -n "$token" ] && [ -n "${PULL_REQUEST:-}" ]; then
  # A pull request from a fork has a token that may not comment; the verdict is the exit code all the same.
  GH_TOKEN=$token gh pr comment "$PULL_REQUEST" --body-file "$report" ||
    echo "::warning::the report could not be posted as a comment"
fi
exit "$code"
