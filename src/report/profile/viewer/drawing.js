// Draws the flamegraph on one canvas of the size of the visible part: the boxes that frames.js
// placed, in the colors of their kinds. A scene is { tree, arrangement, boxes, found, view }. The
// file comes between frames.js and viewer.js in the same script.

const ROW = 22;
const UNITS = { cpu: "instructions", memory: "bytes" };
// The hue, the saturation, and the lightness in the light and in the dark theme, for each kind.
const COLOURS = [
  [220, 12, 83, 30],
  [220, 16, 76, 36],
  [214, 78, 79, 36],
  [265, 52, 82, 36],
  [30, 86, 77, 32],
  [150, 40, 77, 27],
  [220, 10, 80, 28],
];
/** The kinds whose frames have different shades: contracts, functions, host calls, cost types. */
const SHADED = [2, 3, 4, 5];
const OUTSIDE = 6;

function drawScene(canvas, chart, scene) {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height, scrollTop } = chart;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`);
  context.font = `12px ${colour("mono")}`;
  context.textBaseline = "middle";
  const look = {
    ink: colour("ink"),
    faint: colour("faint"),
    mark: colour("mark"),
    markInk: colour("mark-ink"),
    accent: colour("accent"),
    letter: context.measureText("0").width,
  };
  for (const box of scene.boxes) {
    const y = box.row * ROW - scrollTop;
    if (y > -ROW && y < height) drawBox(context, look, scene, box, y);
  }
}

function drawBox(context, look, scene, box, y) {
  const { tree, view } = scene;
  const marked = isMarked(scene, box);
  const dimmed = view.search.trim() !== "" && !marked;
  const width = Math.max(box.width - 1, 0.5);
  context.globalAlpha = dimmed ? 0.45 : 1;
  context.fillStyle = marked ? look.mark : fillOf(scene, box);
  context.fillRect(box.x, y, width, ROW - 1);
  if (box.more > 0) hatch(context, box.x, y, width, look.faint);
  else if (width > 4 * look.letter + 8) {
    const around = tree.depth[box.frame] < tree.depth[view.zoom];
    context.globalAlpha = dimmed || around ? 0.7 : 1;
    context.fillStyle = marked ? look.markInk : look.ink;
    const label = labelOf(scene, box.frame, Math.floor((width - 8) / look.letter));
    context.fillText(label, box.x + 4, y + ROW / 2, width - 6);
  }
  context.globalAlpha = 1;
  if (box.more > 0 || (box.frame !== view.selected && box.frame !== view.hovered)) return;
  context.strokeStyle = look.accent;
  context.lineWidth = box.frame === view.selected ? 2 : 1;
  context.strokeRect(box.x + 1, y + 1, Math.max(width - 2, 1), ROW - 3);
}

function hatch(context, x, y, width, colour) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, ROW - 1);
  context.clip();
  context.beginPath();
  for (let at = x - ROW; at < x + width; at += 5) {
    context.moveTo(at, y + ROW);
    context.lineTo(at + ROW, y);
  }
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}

/** True if the box shows or hides a frame that the search found. */
function isMarked({ tree, arrangement, found }, { frame, more }) {
  if (more === 0) return found.found[frame] === 1;
  if (found.frames.length === 0) return false;
  const siblings = arrangement.children[tree.parent[frame]];
  const from = siblings.indexOf(frame);
  return siblings.slice(from, from + more).some((sibling) => found.within[sibling] === 1);
}

/** Frames of one kind differ slightly. Frames with the same name have the same color. */
function fillOf({ tree, view }, { frame, more }) {
  if (more > 0) return colourOf(OUTSIDE, 0, view.theme);
  const kind = tree.kind[frame];
  let mix = 0;
  for (const letter of tree.name[frame]) mix = (mix * 31 + letter.codePointAt(0)) % 997;
  return colourOf(kind, SHADED.includes(kind) ? (mix % 7) - 3 : 0, view.theme);
}

function colourOf(kind, shade, theme) {
  const [hue, saturation, light, dark] = COLOURS[kind];
  const lightness = (theme === "dark" ? dark : light) + shade * 1.5;
  return `hsl(${hue + shade} ${theme === "dark" ? saturation * 0.55 : saturation}% ${lightness}%)`;
}

/** Returns as much of a frame's name as fits, and its share if there is room. */
function labelOf({ tree, arrangement: { value }, view }, frame, letters) {
  if (frame === 0) return `all: ${grouped(value[0])} ${UNITS[view.metric]}`;
  const name = shortName(tree.name[frame]);
  const whole = `${name}  ${percent(value[frame], value[0])}`;
  if (whole.length <= letters) return whole;
  return name.length <= letters ? name : `${name.slice(0, letters - 1)}…`;
}
