// Bundles a game with esbuild. Run by node; one JSON object on stdin:
//   { esbuild, engine, folder, entry, out, token, wired: ["drawRect", "Sound.play"] }
// Paths are absolute, but `entry`, which is within `folder`. Writes `bundle.js` and `bundle.js.map` into `out`, and
// `result.json`: { ok, faults: ["src/game.js:12:3: ..."] }.
//
// The engine is wrapped: what the gates want to know is asked of `__evalgate`, which the page has and a player's page has
// not, so the bundle is the same one that is delivered. Only code within the game's folder, the engine's and the esbuild
// package's own end up in a bundle: it leaves the machine.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const ENGINE = /^littlejsengine(\/dist\/littlejs[.\w]*\.js)?$/;
const LARGEST = 16 << 20;
const job = JSON.parse(fs.readFileSync(0, 'utf8'));
const esbuild = require(job.esbuild);

const LOADERS = { '.png': 'dataurl', '.jpg': 'dataurl', '.webp': 'dataurl', '.gif': 'dataurl', '.svg': 'dataurl' };
for (const sound of ['.mp3', '.ogg', '.wav']) LOADERS[sound] = 'dataurl';

function wrapper() {
  const names = [...new Set(job.wired.map((name) => name.split('.')[0]))];
  const whole = names.filter((name) => job.wired.includes(name));
  const methods = job.wired.filter((name) => name.includes('.'));
  return [
    "import * as engine from 'evalgate:engine';",
    "export * from 'evalgate:engine';",
    'const gate = globalThis.__evalgate;',
    // A debug build draws its frame rate into a corner: a game that draws nothing would look alive.
    `const token = ${JSON.stringify(job.token)};`,
    'gate?.engine(token, engine, () => engine.frame);',
    ...methods.map((name) => `gate?.method(token, engine, ${JSON.stringify(name)});`),
    ...whole.map((name, place) => `const wired${place} = gate ? gate.call(token, engine, ${JSON.stringify(name)}) : engine.${name};`),
    ...whole.map((name, place) => `export { wired${place} as ${name} };`),
    // What runs after the engine can count nothing any more.
    'gate?.lock(token);',
  ].join('\n');
}

function isWithin(file, folder) {
  const relative = path.relative(folder, file);
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
}

const gates = {
  name: 'evalgate',
  setup(build) {
    const folders = [fs.realpathSync(job.folder), fs.realpathSync(job.engine)];
    build.onResolve({ filter: ENGINE }, (found) => {
      if (found.pluginData === 'engine') return undefined;
      return { path: 'littlejsengine', namespace: 'evalgate' };
    });
    build.onResolve({ filter: /^evalgate:engine$/ }, () =>
      build.resolve('littlejsengine', {
        kind: 'import-statement',
        pluginData: 'engine',
        resolveDir: path.dirname(path.dirname(job.engine)),
      }),
    );
    build.onLoad({ filter: /.*/, namespace: 'evalgate' }, () => ({
      contents: wrapper(),
      loader: 'js',
      resolveDir: path.dirname(path.dirname(job.engine)),
    }));
    build.onLoad({ filter: /.*/, namespace: 'file' }, (found) => {
      const file = fs.realpathSync(found.path);
      const status = fs.statSync(file);
      if (!status.isFile()) return { errors: [{ text: 'is no regular file' }] };
      if (status.size > LARGEST) return { errors: [{ text: `is larger than ${LARGEST >> 20} MiB` }] };
      if (folders.some((folder) => isWithin(file, folder))) return undefined;
      return { errors: [{ text: 'is outside the game: nothing but the folder of the game and the engine may be bundled' }] };
    });
  },
};

function line(message) {
  const place = message.location;
  return place ? `${place.file}:${place.line}:${place.column + 1}: ${message.text}` : message.text;
}

// The map names files from where it lies; people look from the game's folder.
function nameSources() {
  const place = path.join(job.out, 'bundle.js.map');
  const map = JSON.parse(fs.readFileSync(place, 'utf8'));
  const [folder, engine] = [fs.realpathSync(job.folder), fs.realpathSync(job.engine)];
  map.sources = map.sources.map((source) => {
    const file = path.resolve(fs.realpathSync(job.out), source);
    if (isWithin(file, folder)) return path.relative(folder, file);
    return isWithin(file, engine) ? path.join('node_modules/littlejsengine', path.relative(engine, file)) : source;
  });
  fs.writeFileSync(place, JSON.stringify(map));
}

esbuild
  .build({
    absWorkingDir: job.folder,
    entryPoints: [path.join(job.folder, job.entry)],
    outfile: path.join(job.out, 'bundle.js'),
    bundle: true,
    format: 'iife',
    globalName: '__GameBundle',
    platform: 'browser',
    target: 'es2022',
    // The names in a stack are the game's, whatever else is called so in the engine.
    keepNames: true,
    minify: false,
    sourcemap: 'external',
    sourcesContent: false,
    loader: LOADERS,
    tsconfigRaw: '{}',
    logLevel: 'silent',
    plugins: [gates],
  })
  .then(
    () => {
      nameSources();
      return { ok: true, faults: [] };
    },
    (fault) => {
      if (!Array.isArray(fault.errors)) throw fault;
      return { ok: false, faults: fault.errors.map(line) };
    },
  )
  .then((result) => fs.writeFileSync(path.join(job.out, 'result.json'), JSON.stringify(result)));
