#!/usr/bin/env bash
# Builds two commits of the repository in the current folder, plays an SPRT between them and reports it. The environment has
# BUILD, ENGINE, BASE, HEAD, FLAGS and TOURNAMENT as action.yml describes them, and GH_TOKEN and PULL_REQUEST for a comment.
# Exit code: 0 if H1 was accepted, 10 if H0 was, 11 if the test is undecided, another where something failed.
set -euo pipefail

place=$(mktemp -d)
trap 'git worktree remove --force "$place/base" 2>/dev/null || true; git worktree remove --force "$place/head" 2>/dev/null || true' EXIT
for name in base head; do
  commit=$([ "$name" = base ] && echo "$BASE" || echo "$HEAD")
  git worktree add --quiet --detach "$place/$name" "$commit"
  (cd "$place/$name" && bash -c "$BUILD")
done

read -r -a flags <<<"$FLAGS"
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
if [ -n "${GH_TOKEN:-}" ] && [ -n "${PULL_REQUEST:-}" ]; then
  # A pull request from a fork has a token that may not comment; the verdict is the exit code all the same.
  gh pr comment "$PULL_REQUEST" --body-file "$report" ||
    echo "::warning::the report could not be posted as a comment"
fi
exit "$code"
