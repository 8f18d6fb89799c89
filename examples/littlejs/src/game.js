// Lamplighter: fireflies drift through a summer night. Tap one and it glows for good; light ten before dawn.
//
// What evalgate play needs of a game is at the end: `start` and `state`. All else is the game's own business.

import * as LJS from 'littlejsengine';

const { Color, ParticleEmitter, PI, RandomGenerator, Sound, hsl, vec2 } = LJS;

const TO_LIGHT = 10; // fireflies
const AT_ONCE = 3; // fireflies in the air
const NIGHT_SECONDS = 60;
const POINTS = 10;
const GOLDEN_POINTS = 30;
const GOLDEN_EVERY = 5; // each fifth firefly is golden
const RADIUS = 0.9; // world units, of what a tap catches: larger than what is seen, for thumbs
const FIELD = vec2(9, 5.5); // half of the meadow, world units

// The same night each time, so that a game can be played again: whatever is random comes from here.
const random = new RandomGenerator(20260801);

let chime;
let fireflies = [];
let lanterns = [];
let stars = [];
let made = 0;
let taps = 0;
let score = 0;
let phase = 'night'; // night -> won | dawn

class Firefly {
  constructor() {
    this.id = ++made;
    this.golden = made % GOLDEN_EVERY === 0;
    this.home = vec2(random.float(-FIELD.x, FIELD.x) * 0.8, random.float(-FIELD.y, FIELD.y) * 0.7);
    this.phase = random.float(PI * 2);
    this.born = LJS.time;
  }

  // A slow figure of eight around its home.
  get pos() {
    const t = (LJS.time - this.born) * 0.9 + this.phase;
    return this.home.add(vec2(Math.sin(t) * 1.1, Math.sin(t * 2) * 0.5));
  }

  get color() {
    const glow = 0.6 + 0.15 * Math.sin(LJS.time * 5 + this.phase);
    return this.golden ? hsl(0.13, 1, glow) : hsl(0.2, 0.85, glow);
  }
}

function gameInit() {
  LJS.setCameraScale(40);
  LJS.setCanvasClearColor(new Color(0.03, 0.04, 0.1));
  chime = new Sound([0.6, 0.02, 880, 0.01, 0.06, 0.2, 1, 1.6]);
  stars = Array.from({ length: 60 }, () => vec2(random.float(-12, 12), random.float(-2, 9)));
  fireflies = Array.from({ length: AT_ONCE }, () => new Firefly());
}

function gameUpdate() {
  if (phase !== 'night') return;
  if (LJS.time >= NIGHT_SECONDS) phase = 'dawn';
  if (LJS.mouseWasPressed(0)) tap(LJS.mousePos);
}

function tap(pos) {
  ++taps;
  const firefly = fireflies.find((one) => one.pos.distance(pos) < RADIUS);
  if (firefly) light(firefly);
}

function light(firefly) {
  lanterns.push({ pos: firefly.pos, golden: firefly.golden });
  fireflies[fireflies.indexOf(firefly)] = new Firefly();
  award(firefly.golden ? GOLDEN_POINTS : POINTS, firefly);
}

function award(points, firefly) {
  score += points;
  sparks(firefly.pos, firefly.color);
  chime.play(firefly.pos, 1, 1 + lanterns.length * 0.05);
  if (lanterns.length >= TO_LIGHT) phase = 'won';
}

function sparks(pos, color) {
  new ParticleEmitter(
    pos, 0, 0.3, 0.15, 80, PI, undefined, // where and how many
    color, color.scale(0.8), color.scale(1, 0), color.scale(0.5, 0), // colours
    0.7, 0.16, 0.02, 0.06, 0, 0.92, // how they live
  );
}

function gameRender() {
  drawSky();
  for (const lantern of lanterns) glow(lantern.pos, 0.45, lantern.golden ? hsl(0.13, 1, 0.6) : hsl(0.1, 0.8, 0.45));
  for (const firefly of fireflies) glow(firefly.pos, 0.6, firefly.color);
}

function drawSky() {
  for (const star of stars) LJS.drawRect(star, vec2(0.05), new Color(0.6, 0.65, 0.8, 0.7));
  LJS.drawRect(vec2(0, -FIELD.y - 2), vec2(60, 4), new Color(0.05, 0.12, 0.09));
}

function glow(pos, size, color) {
  LJS.drawCircleGradient(pos, size * 4, color.scale(1, 0.35), color.scale(1, 0));
  LJS.drawCircle(pos, size, color);
  LJS.drawCircle(pos, size * 0.5, new Color(1, 1, 0.9));
}

function gameRenderPost() {
  const middle = LJS.mainCanvasSize.x / 2;
  const left = Math.max(0, Math.ceil(NIGHT_SECONDS - LJS.time));
  LJS.drawTextScreen(`${score}`, vec2(middle, 48), 44, new Color(1, 0.95, 0.75));
  LJS.drawTextScreen(`${lanterns.length} of ${TO_LIGHT} lit · dawn in ${left}`, vec2(middle, 84), 18, new Color(0.7, 0.75, 0.9));
  const ends = { won: 'The meadow is alight', dawn: 'Dawn. The fireflies are asleep' };
  if (phase in ends) LJS.drawTextScreen(ends[phase], LJS.mainCanvasSize.scale(0.5), 48, new Color(1, 0.9, 0.5));
}

// World units to pixels of the page: where a person's finger would go.
function onPage(pos) {
  const at = LJS.worldToScreen(pos);
  const box = LJS.mainCanvas.getBoundingClientRect();
  return { x: box.left + (at.x * box.width) / LJS.mainCanvasSize.x, y: box.top + (at.y * box.height) / LJS.mainCanvasSize.y };
}

/** Start the game. The page calls it once; it may return a promise. */
export function start() {
  return LJS.engineInit(gameInit, gameUpdate, undefined, gameRender, gameRenderPost);
}

/** Return what a player could see, as plain JSON. Asked for often, so it changes nothing. */
export function state() {
  return {
    frame: LJS.frame,
    phase,
    score,
    lit: lanterns.length,
    taps,
    secondsLeft: Math.max(0, Math.ceil(NIGHT_SECONDS - LJS.time)),
    targets: phase === 'night' ? fireflies.map((one) => ({ id: one.id, golden: one.golden, ...onPage(one.pos) })) : [],
  };
}
