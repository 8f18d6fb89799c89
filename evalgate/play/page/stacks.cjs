// Puts the game's own files and lines into stacks. Run by node; one JSON object on stdin: { map, stacks: ["..."] }.
// Writes the stacks to stdout as a JSON list. What the map does not know stays as it is.
'use strict';
const fs = require('node:fs');
const { SourceMap } = require('node:module');

const job = JSON.parse(fs.readFileSync(0, 'utf8'));
const map = new SourceMap(JSON.parse(job.map));
const PLACE = /https?:\/\/127\.0\.0\.1:\d+\/bundle\.js:(\d+):(\d+)/g;

const placed = job.stacks.map((stack) =>
  stack.replace(PLACE, (whole, line, column) => {
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry?.originalSource === undefined) return whole;
    return `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  }),
);
fs.writeSync(1, JSON.stringify(placed));
