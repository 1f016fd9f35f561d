// The flamegraph's arithmetic, without a page: the position of each frame, the frames that a search
// finds, and the frame that an arrow key selects. The file comes before viewer.js in the same
// script. It uses loops instead of recursion, because a stack may be deep.

/** Frames narrower than this many pixels are drawn as one block with their smaller siblings. */
const NARROWEST = 1.5;

/** `rows` has [parent, name, kind, cpu, memory] of each frame, parents first. */
function readTree({ names, rows }) {
  const children = rows.map(() => []);
  const depth = new Uint32Array(rows.length);
  for (let i = 1; i < rows.length; i += 1) {
    children[rows[i][0]].push(i);
    depth[i] = depth[rows[i][0]] + 1;
  }
  return {
    count: rows.length,
    parent: rows.map((row) => row[0]),
    name: rows.map((row) => names[row[1]]),
    kind: rows.map((row) => row[2]),
    children,
    depth,
    cpu: rows.map((row) => row[3]),
    memory: rows.map((row) => row[4]),
  };
}

/**
 * Returns the start of each frame on a line as long as the total. Siblings are ordered by size, the
 * largest first.
 */
function arrange(tree, metric) {
  const value = tree[metric];
  const start = new Float64Array(tree.count);
  const children = tree.children.map((own) =>
    own.filter((i) => value[i] > 0).sort((a, b) => value[b] - value[a] || a - b),
  );
  for (let i = 0; i < tree.count; i += 1) {
    let at = start[i];
    for (const child of children[i]) {
      start[child] = at;
      at += value[child];
    }
  }
  return { value, start, children };
}

/**
 * Returns the boxes to draw when frame `zoom` fills the width: { frame, row, x, width, more }.
 * `more` is 0, or the number of siblings, from `frame` on, that are too narrow and share the box.
 */
function boxesIn(tree, { value, start, children }, zoom, width) {
  const boxes = [];
  const left = start[zoom];
  const right = left + value[zoom];
  const scale = right > left ? width / (right - left) : 0;
  const clipped = (from, to) => {
    const x = (Math.max(from, left) - left) * scale;
    return { x, width: (Math.min(to, right) - left) * scale - x };
  };
  const open = value[0] > 0 ? [0] : [];
  while (open.length > 0) {
    const frame = open.pop();
    const row = tree.depth[frame];
    boxes.push({ frame, row, more: 0, ...clipped(start[frame], start[frame] + value[frame]) });
    for (let i = 0; i < children[frame].length; i += 1) {
      const child = children[frame][i];
      const end = start[child] + value[child];
      if (end <= left || start[child] >= right) continue;
      if (value[child] * scale >= NARROWEST) {
        open.push(child);
        continue;
      }
      const last = children[frame].at(-1);
      const rest = clipped(start[child], start[last] + value[last]);
      if (rest.width >= 1)
        boxes.push({ frame: child, row: row + 1, more: children[frame].length - i, ...rest });
      break;
    }
  }
  return boxes;
}

/**
 * Returns the names of one kind with the highest cost: { name, amount, frames }, at most `limit`. A
 * frame inside another one with the same name is already in that one's amount.
 */
function heaviest(tree, { value }, kind, limit) {
  const byName = new Map();
  for (let i = 1; i < tree.count; i += 1) {
    if (tree.kind[i] !== kind || value[i] === 0) continue;
    const sum = byName.get(tree.name[i]) ?? { name: tree.name[i], amount: 0, frames: 0 };
    byName.set(sum.name, sum);
    sum.frames += 1;
    let above = tree.parent[i];
    while (above > 0 && tree.name[above] !== sum.name) above = tree.parent[above];
    if (above <= 0) sum.amount += value[i];
  }
  return [...byName.values()].sort((a, b) => b.amount - a.amount).slice(0, limit);
}

/**
 * Finds the frames whose name contains the text in upper or lower case, and their part of the
 * total.
 */
function findFrames(tree, { value }, text) {
  const wanted = text.trim().toLowerCase();
  const found = new Uint8Array(tree.count);
  // Marks frames inside a found frame, and frames that contain one. Both include the found frames.
  const inside = new Uint8Array(tree.count);
  const within = new Uint8Array(tree.count);
  const frames = [];
  let amount = 0;
  if (wanted === "") return { found, within, frames, amount };
  for (let i = 0; i < tree.count; i += 1) {
    const above = i === 0 ? 0 : inside[tree.parent[i]];
    const matches = value[i] > 0 && i > 0 && searched(tree.name[i]).includes(wanted);
    inside[i] = above || matches ? 1 : 0;
    if (!matches) continue;
    found[i] = 1;
    frames.push(i);
    if (above === 0) amount += value[i];
  }
  for (let i = tree.count - 1; i >= 0; i -= 1) {
    if (found[i] === 1) within[i] = 1;
    if (within[i] === 1 && i > 0) within[tree.parent[i]] = 1;
  }
  return { found, within, frames, amount };
}

/** Returns the full name and the name that a frame shows. */
function searched(name) {
  return `${name} ${shortName(name)}`.toLowerCase();
}

/** Returns the frame that an arrow key selects from a frame, or the same frame if there is none. */
function neighbourOf(tree, { children }, frame, key) {
  if (key === "ArrowUp") return Math.max(tree.parent[frame], 0);
  if (key === "ArrowDown") return children[frame][0] ?? frame;
  // The next frame in its row may be beyond the enclosing frame.
  const step = key === "ArrowLeft" ? -1 : 1;
  let above = frame;
  while (above > 0) {
    const siblings = children[tree.parent[above]];
    const next = siblings[siblings.indexOf(above) + step];
    if (next === undefined) {
      above = tree.parent[above];
      continue;
    }
    let found = next;
    while (tree.depth[found] < tree.depth[frame] && children[found].length > 0)
      found = step === 1 ? children[found][0] : children[found].at(-1);
    return found;
  }
  return frame;
}

/** True if `frame` is inside `other`, or the same. */
function isWithin(tree, frame, other) {
  let at = frame;
  while (at > other) at = tree.parent[at];
  return at === other;
}

/**
 * Returns `CABC…WXYZ:transfer` as `transfer CABC…WXYZ`, so that a narrow frame shows the function.
 */
function shortName(name) {
  const contract = /^(C[A-Z2-7]{55}):(.*)$/.exec(name);
  if (contract === null) return name;
  return `${contract[2]} ${contract[1].slice(0, 4)}…${contract[1].slice(-4)}`;
}

function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function percent(part, whole) {
  if (part === 0) return "0 %";
  const share = (100 * part) / whole;
  return share > 0 && share < 0.01 ? "< 0.01 %" : `${share.toFixed(share < 1 ? 2 : 1)} %`;
}
