// Runs in the page before anything of the game. What the gates know of the inside of a page, they know from `__evalgate`.
//
// The game runs in the same page, so what is used here later is taken now, before the game can replace it.
(() => {
  'use strict';
  const { stringify } = JSON;
  const { apply, construct, defineProperty } = Reflect;
  const text = String;
  const STACK_CHARACTERS = 8000;
  const STATE_CHARACTERS = 200_000;
  const KEPT = 20;

  // The same dice each time: a game without input and one with it differ by the input alone.
  let seed = 0x5eed;
  Math.random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };

  let uncaught = 0;
  const stacks = [];
  const note = (thrown) => {
    uncaught += 1;
    if (stacks.length >= KEPT) return;
    let told;
    try {
      told = text((thrown !== null && typeof thrown === 'object' && thrown.stack) || `Uncaught ${text(thrown)}`);
    } catch {
      told = 'Uncaught (a value that cannot be shown)';
    }
    stacks[stacks.length] = told.slice(0, STACK_CHARACTERS);
  };
  // The first listeners, and capturing: no handler of the game hides an error from them.
  addEventListener('error', (event) => event instanceof ErrorEvent && note(event.error ?? event.message), true);
  addEventListener('unhandledrejection', (event) => note(event.reason), true);

  const calls = Object.create(null);
  const unknown = [];
  const sample = [];
  const brief = (value) => {
    if (typeof value === 'number' || typeof value === 'boolean' || value == null) return text(value);
    if (typeof value === 'string') return stringify(value.slice(0, 30));
    return typeof value === 'function' ? 'function' : 'object';
  };
  const count = (name, given) => {
    calls[name] += 1;
    if (calls[name] > 2 || sample.length >= KEPT) return;
    let told = '';
    for (let place = 0; place < given.length && place < 4; ++place) told += (place ? ', ' : '') + brief(given[place]);
    sample[sample.length] = `${name}(${told}${given.length > 4 ? ', ...' : ''})`;
  };

  let frame = () => null;
  const gate = {
    engine(engine, asked) {
      frame = asked;
      engine.setDebugWatermark?.(false);
    },
    // Return the function or class as the game shall see it.
    call(engine, name) {
      const real = engine[name];
      if (typeof real !== 'function') {
        unknown[unknown.length] = name;
        return real;
      }
      calls[name] = 0;
      return new Proxy(real, {
        apply(target, self, given) {
          count(name, given);
          return apply(target, self, given);
        },
        construct(target, given, made) {
          count(name, given);
          return construct(target, given, made);
        },
      });
    },
    method(engine, full) {
      const [owner, name] = full.split('.');
      const home = engine[owner]?.prototype ?? engine[owner];
      const real = home?.[name];
      if (typeof real !== 'function') {
        unknown[unknown.length] = full;
        return;
      }
      calls[full] = 0;
      const counted = {
        [name](...given) {
          count(full, given);
          return apply(real, this, given);
        },
      }[name];
      defineProperty(home, name, { value: counted, writable: true, configurable: true });
    },
    // Return all that is known now, as JSON.
    read() {
      const bundle = globalThis.__GameBundle;
      const exported = typeof bundle?.start === 'function' && typeof bundle?.state === 'function';
      let canvas = false;
      for (const one of document.querySelectorAll('canvas')) canvas ||= one.width > 0 && one.height > 0;
      let state = null;
      let stateFault = null;
      if (exported) {
        try {
          state = stringify(bundle.state()) ?? null;
          if (state === null || state[0] !== '{') stateFault = 'state() must return an object';
          else if (state.length > STATE_CHARACTERS) stateFault = `state() returns more than ${STATE_CHARACTERS} characters`;
        } catch (thrown) {
          stateFault = text(thrown?.message ?? thrown).slice(0, 300);
        }
        if (stateFault !== null) state = null;
      }
      let frames = null;
      try {
        frames = frame();
      } catch {
        // The engine's own module has thrown: it has no frames.
      }
      return stringify({
        loaded: document.readyState === 'complete',
        exported,
        canvas,
        frame: typeof frames === 'number' ? frames : null,
        state,
        stateFault,
        uncaught,
        stacks,
        calls,
        unknown,
        sample,
      });
    },
  };
  defineProperty(globalThis, '__evalgate', { value: Object.freeze(gate) });
})();
