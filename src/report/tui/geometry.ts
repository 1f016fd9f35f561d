// The rows of a screen: title, tabs, headings, the outline, a rule, the details of the selected
// node, and the status line.

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** On a smaller screen, only a request for more room is drawn. */
export const LEAST_SIZE: Size = { columns: 80, rows: 24 };

const ROWS_AROUND = 5;
const LEAST_OUTLINE_ROWS = 3;
const LEAST_DETAIL_ROWS = 7;
const DETAIL_SHARE = 0.4;

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < LEAST_SIZE.columns || rows < LEAST_SIZE.rows;
}

/** A short outline leaves more rows for the details. Folding does not change the rows. */
export function geometryOf(
  { rows }: Size,
  nodes: number,
): { readonly outlineRows: number; readonly detailRows: number } {
  const shared = Math.max(LEAST_SIZE.rows, rows) - ROWS_AROUND;
  const most = shared - Math.max(LEAST_DETAIL_ROWS, Math.floor(shared * DETAIL_SHARE));
  const outlineRows = Math.min(most, Math.max(LEAST_OUTLINE_ROWS, nodes));
  return { outlineRows, detailRows: shared - outlineRows };
}
