# A peer of `evalgate compare`: what can be had with jq in a CI script.
#
#     jq -nr --slurpfile before BEFORE.json --slurpfile after AFTER.json -f compare.jq
#
# Only the counts that are easy to write in jq; no tokens, no signatures, no verdict.

def flaky:
  .status == "pass" and ((.attemptResults // []) | length) > 0
  and (.flaky == true or ((has("reliability") | not) and any(.attemptResults[:-1][]; .status != "pass")));

def facts: reduce .cases[] as $case ({}; .[$case.name] = [$case.status == "pass", ($case | flaky)]);

($before[0] | facts) as $old
| ($after[0] | facts) as $new
| reduce ($new | to_entries[]) as $case (
    {REGRESSIONS: 0, NEW_FAILURES: 0, FLAKY: 0, COMPARED: 0};
    $old[$case.key] as $known
    | if $known == null then
        if $case.value[0] then . else .NEW_FAILURES += 1 end
      else
        .COMPARED += 1
        | if $known[0] and ($case.value[0] | not) then .REGRESSIONS += 1 else . end
      end
    | if $case.value[1] and ($known == null or ($known[1] | not)) then .FLAKY += 1 else . end
  )
| .REMOVED = ([$old | keys_unsorted[] | select($new[.] == null)] | length)
| to_entries[]
| "\(.key)=\(.value)"
