// A peer of `evalgate compare`: the small gate that a JavaScript project would write for itself.
//
//     node compare.mjs BEFORE.json AFTER.json
//
// Written to be fast in the plain way: whole file, JSON.parse, a Map by name, one pass a side. It does less than
// evalgate: no rule of the input format is checked, no findings are listed, no report.md is written, and a signature
// is read by two patterns where evalgate has a grammar. Its reading of the generated stacks is the same one.

import { readFileSync } from "node:fs";

const HEADER = /^\w*(?:Error|Exception)(?: \[\w+\])?: (?:([A-Z][A-Z0-9_]{2,}): )?/m;
const CODE = /^  code: '([A-Z][A-Z0-9_]+)'/m;
const FRAME = /^    at (?:async )?([^ (]+) \((?!node:)/m;
const ALLOWED_PCT = 50;

function signature(stderr) {
  const header = HEADER.exec(stderr);
  if (header === null) return null;
  const rest = stderr.slice(header.index + header[0].length);
  const code = header[1] ?? CODE.exec(rest)?.[1];
  const frame = FRAME.exec(rest);
  if (!code) return null;
  return frame ? `${code}@${frame[1]}` : code;
}

function isFlaky(one) {
  const history = one.attemptResults;
  if (one.status !== "pass" || !history?.length) return false;
  if (one.flaky === true) return true;
  return !one.reliability && history.slice(0, -1).some((run) => run.status !== "pass");
}

const recovered = (one) => one.status === "pass" && one.toolErrors.length > 0;

const [before, after] = process.argv.slice(2, 4).map((path) => {
  const report = JSON.parse(readFileSync(path, "utf8"));
  return new Map(report.cases.map((one) => [one.name, one]));
});

const FAIL = ["REGRESSIONS", "NEW_FAILURES"];
const WARN = ["IMPROVEMENTS", "ADDED", "REMOVED", "TOKEN_REGRESSIONS", "SKIPPED_LINE_INCREASES", "FLAKY",
  "TOOL_ERROR_RECOVERIES", "REPEATED_ERROR_SIGNATURES"];
const KEYS = [...FAIL, ...WARN, "BASELINE_FLAKY", "BASELINE_FAILING", "COMPARED"];
const counts = Object.fromEntries(KEYS.map((key) => [key, 0]));
const signatures = new Map();

for (const [name, one] of after) {
  const known = before.get(name);
  const passes = one.status === "pass";
  if (known === undefined) {
    counts[passes ? "ADDED" : "NEW_FAILURES"] += 1;
  } else {
    counts.COMPARED += 1;
    const passed = known.status === "pass";
    if (passed && !passes) counts.REGRESSIONS += 1;
    if (passes && !passed) counts.IMPROVEMENTS += 1;
    const total = one.tokens.total;
    const totalBefore = known.tokens.total;
    // exact for integers below 2 ** 46, which token counts are
    if (one.status === known.status && totalBefore > 0 && (total - totalBefore) * 100 > ALLOWED_PCT * totalBefore) {
      counts.TOKEN_REGRESSIONS += 1;
    }
    if ((one.skippedLines ?? 0) > (known.skippedLines ?? 0)) counts.SKIPPED_LINE_INCREASES += 1;
  }
  if (isFlaky(one) && !(known && isFlaky(known))) counts.FLAKY += 1;
  if (recovered(one) && !(known && recovered(known))) counts.TOOL_ERROR_RECOVERIES += 1;
  for (const run of one.attemptResults ?? [one]) {
    const found = run.status === "pass" ? null : signature(run.stderrTail ?? "");
    if (found !== null) signatures.set(found, (signatures.get(found) ?? 0) + 1);
  }
}
for (const [name, one] of before) {
  if (!after.has(name)) counts.REMOVED += 1;
  if (isFlaky(one)) counts.BASELINE_FLAKY += 1;
  if (one.status !== "pass") counts.BASELINE_FAILING += 1;
}
for (const times of signatures.values()) if (times > 1) counts.REPEATED_ERROR_SIGNATURES += 1;

const fired = (keys) => keys.some((key) => counts[key] > 0);
const overall = fired(FAIL) ? "FAIL" : fired(WARN) ? "WARN" : "PASS";
console.log([`OVERALL=${overall}`, ...KEYS.map((key) => `${key}=${counts[key]}`)].join("\n"));
