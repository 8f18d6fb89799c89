// Runs in the page before anything of the game. What the gates know of the inside of a page, they know from `__evalgate`.
//
// The game runs in the same page, so what is used here later is taken now, before the game can replace it.
(() => {
  'use strict';
  const TOKEN = '__EVALGATE_TOKEN__';
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

  // What is written as JSON inherits nothing: a toJSON of the game's would write the answer.
  const list = () => Object.setPrototypeOf([], null);
  const windowItself = globalThis;
  const getter = (home, name) => Object.getOwnPropertyDescriptor(home, name).get;
  const targetOf = getter(Event.prototype, 'target');
  const errorOf = getter(ErrorEvent.prototype, 'error');
  const messageOf = getter(ErrorEvent.prototype, 'message');
  // It would reach beyond this address, past the proxy.
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name];

  let uncaught = 0;
  let tampered = false;
  const stacks = list();
  const note = (thrown) => {
    uncaught += 1;
    if (stacks.length >= KEPT) return;
    let told = 'Uncaught (a value that cannot be shown)';
    try {
      const shown = text((thrown !== null && typeof thrown === 'object' && thrown.stack) || `Uncaught ${text(thrown)}`);
      told = shown.slice(0, STACK_CHARACTERS);
    } catch {
      // It is counted all the same.
    }
    stacks[stacks.length] = text(told);
  };
  // The first listeners, and capturing: no handler of the game hides an error from them.
  // What cannot be loaded has an element as its target, and is no error of the script.
  addEventListener(
    'error',
    (event) => {
      if (apply(targetOf, event, []) !== windowItself) return;
      let thrown;
      try {
        thrown = apply(errorOf, event, []) ?? apply(messageOf, event, []);
      } catch {
        thrown = 'an error event of no kind';
      }
      note(thrown);
    },
    true,
  );
  addEventListener('unhandledrejection', (event) => note(event.reason), true);

  const calls = Object.create(null);
  const unknown = list();
  const sample = list();
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
  let claimed = false;
  let locked = false;
  // The wrapper of the engine alone has the token, and only until it has run.
  const isOurs = (token) => {
    if (token === TOKEN && !locked) return true;
    tampered = true;
    return false;
  };
  const gate = {
    engine(token, engine, asked) {
      if (!isOurs(token) || claimed) {
        tampered = true;
        return;
      }
      claimed = true;
      frame = asked;
      engine.setDebugWatermark?.(false);
    },
    // Return the function or class as the game shall see it.
    call(token, engine, name) {
      const real = engine[name];
      if (!isOurs(token)) return real;
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
    lock(token) {
      if (isOurs(token)) locked = true;
    },
    method(token, engine, full) {
      if (!isOurs(token)) return;
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
        __proto__: null,
        tampered,
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
