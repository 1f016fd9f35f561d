// The rows and columns of a screen: title, tabs, headings, the outline, a rule, the details of the
// selected node, and the status line. A wide screen has the details to the right of the outline.

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Geometry {
  readonly outlineRows: number;
  readonly outlineColumns: number;
  readonly detailRows: number;
  readonly detailColumns: number;
  /** True if the details are to the right of the outline. */
  readonly beside: boolean;
}

/** The view begins only on a screen of at least this size. */
export const START_SIZE: Size = { columns: 80, rows: 24 };
/**
 * A screen that shrinks while the view runs may have fewer columns and rows than at the start.
 * Below this size, only a request for more room is drawn.
 */
export const LEAST_SIZE: Size = { columns: 40, rows: 10 };
/** The rows of the title, the tabs and the headings. */
export const ROWS_ABOVE = 3;

/** On a screen of this width, the outline alone has the columns of a usual terminal. */
const WIDE_COLUMNS = 140;
const OUTLINE_SHARE = 0.6;
/** The rows around the outline, and around outline and details. */
const ROWS_AROUND_ONE = 4;
const ROWS_AROUND = 5;
const LEAST_OUTLINE_ROWS = 3;
const LEAST_DETAIL_ROWS = 7;
const DETAIL_SHARE = 0.4;

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST_SIZE.columns || rows < LEAST_SIZE.rows;
}

export function isTooSmallToStart({ columns, rows }: Size): boolean {
  return columns < START_SIZE.columns || rows < START_SIZE.rows;
}

/** A short outline leaves more rows for the details. Folding does not change the rows. */
export function geometryOf({ columns, rows: all }: Size, nodes: number): Geometry {
  const rows = Math.max(LEAST_SIZE.rows, all);
  if (columns >= WIDE_COLUMNS) {
    const outlineColumns = Math.floor(columns * OUTLINE_SHARE);
    return {
      outlineRows: rows - ROWS_AROUND_ONE,
      outlineColumns,
      detailRows: rows - ROWS_AROUND_ONE,
      detailColumns: columns - outlineColumns - 1,
      beside: true,
    };
  }
  const shared = rows - ROWS_AROUND;
  const leastDetails = Math.min(LEAST_DETAIL_ROWS, shared - LEAST_OUTLINE_ROWS);
  const most = shared - Math.max(leastDetails, Math.floor(shared * DETAIL_SHARE));
  const outlineRows = Math.min(most, Math.max(LEAST_OUTLINE_ROWS, nodes));
  return {
    outlineRows,
    outlineColumns: columns,
    detailRows: shared - outlineRows,
    detailColumns: columns,
    beside: false,
  };
}
