// A report before it is drawn: sections of sentences, rows, tables and items. What a report says is
// decided here once; text, page, terminal view and Markdown draw it and say nothing of their own.
// Texts may quote the chain: each drawer neutralises what it draws.

import type { VerdictKind } from "../../model/verdict.ts";
import type { Alignment } from "../../model/what-if.ts";

export type Tone = "plain" | "heading" | "good" | "bad" | "caution" | "faint";

/**
 * What not every reader wants: a node with a detail is drawn only where it was asked for. `values`:
 * in full, beside what a line shows of them. `terminal` and `page`: of use there alone.
 */
export type Detail =
  | "verbose"
  | "host-calls"
  | "storage"
  | "costs"
  | "values"
  | "terminal"
  | "page";

export interface ReportDocument {
  /** Null: the sections say it all. */
  readonly head: Head | null;
  readonly sections: readonly Section[];
}

/** The outcome in one line, the verdict in one line. */
export interface Head {
  readonly headline: string;
  readonly tone: Tone;
  /** Absent: there is nothing to judge. A `kind` of null: no verdict, and the sentence says why. */
  readonly verdict?: {
    readonly kind: VerdictKind | null;
    readonly sentence: string;
    readonly tone: Tone;
  };
  readonly body: readonly Block[];
}

export interface Section {
  /** Stable name. */
  readonly id: string;
  /** Null: drawn without a heading. */
  readonly title: string | null;
  /** `answer`: why, and what to do. `evidence`: for readers who want to check it. */
  readonly level: "answer" | "details" | "evidence";
  readonly detail?: Detail;
  /** A section without a body is not drawn; where its place remains, this is there. */
  readonly empty?: string;
  readonly body: readonly Block[];
}

export type Block = Sentence | Rows | Table | Items | Columns | Stack | Copyable;

export interface Sentence {
  readonly kind: "sentence";
  readonly text: string;
  /** Before the text: `Remedy`. */
  readonly label?: string;
  readonly tone?: Tone;
  /** The lines after the first are indented. */
  readonly hangs?: true;
  /** A blank line before it. */
  readonly apart?: boolean;
  readonly detail?: Detail | undefined;
}

export interface Rows {
  readonly kind: "rows";
  /** `aligned`: values in a column. `amounts`: to the right of it. `changes`, `lines`: one line each. */
  readonly layout?: "aligned" | "amounts" | "changes" | "lines";
  readonly rows: readonly Row[];
  /** Lines before they are cut in a terminal. */
  readonly most?: number;
  readonly what?: string;
  /** Within what the sentence before it says. */
  readonly inner?: boolean;
  readonly detail?: Detail | undefined;
}

export interface Row {
  readonly label: string;
  /** Several: before and after. */
  readonly values: readonly string[];
  /** Part of the row above. */
  readonly depth?: number;
  readonly unit?: string;
  readonly note?: string | null;
  readonly tone?: Tone;
  readonly detail?: Detail;
}

export interface Table {
  readonly kind: "table";
  readonly title: string;
  /** `sentences`: each row is one, where there is no room for columns. */
  readonly layout?: "columns" | "sentences";
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  readonly most?: number;
  readonly what?: string;
  readonly detail?: Detail;
}

export interface Column {
  readonly heading: string;
  /** In a sentence, before the value: `from`. */
  readonly lead?: string;
}

/** A number that does not exist is null. `share`: of 1. */
export type Cell = string | null | { readonly text: string; readonly share: number };

/** A list, or a tree. */
export interface Items {
  readonly kind: "items";
  /** `list`: sentences. `tree`: things, with what is below them. */
  readonly layout: "list" | "tree";
  readonly items: readonly Item[];
  /** Items, or with `subjects` those, before they are cut in a terminal. */
  readonly most?: number;
  readonly mostSubjects?: number;
  /** Items that the document does not have either. */
  readonly omitted?: number;
  /** What they are, in the plural. */
  readonly what?: string;
  /** Characters of the longest badge, where they form a column. */
  readonly badgeColumns?: number;
  readonly inner?: boolean;
  readonly detail?: Detail | undefined;
}

export interface Item {
  readonly text: string | Signature;
  readonly role?: "call" | "host-call";
  readonly tone?: Tone;
  /** What it is: `updated`. */
  readonly badge?: string;
  readonly badgeTone?: Tone;
  readonly alignment?: Alignment;
  /** What it was in the other run. */
  readonly before?: string;
  /** `in`, `contract event of`, and the contract. */
  readonly where?: { readonly lead: string; readonly name: string };
  /** A sentence, and the numbers in it where they are known. */
  readonly cost?: string;
  readonly metered?: Metered;
  readonly notes?: readonly Note[];
  readonly rows?: readonly Row[];
  /** Names that the text is about; all of the same kind. */
  readonly subjects?: readonly string[];
  /** Where its text does not say it. */
  readonly failed?: boolean;
  /** A frame that only contains others: drawn where all costs are to add up. */
  readonly frame?: boolean;
  /** Host calls that the host itself made are deeper. */
  readonly depth?: number;
  /** Calls that it stands for. */
  readonly times?: number;
  readonly below?: readonly Item[];
  readonly detail?: Detail;
}

/** A call, an event: a name with values. */
export interface Signature {
  readonly name: string;
  readonly values: readonly { readonly name: string | null; readonly value: string }[];
  /** Absent: it did not run. Null: it failed. */
  readonly result?: string | null;
}

/** Decimal strings; with and without what is below. */
export interface Metered {
  /** Of everything that was metered. */
  readonly wholeInstructions: string;
  readonly cpuInstructions: string;
  readonly memoryBytes: string;
  readonly selfCpuInstructions: string;
}

export interface Note {
  readonly text: string;
  readonly lead?: string;
  readonly tone?: Tone;
  readonly hangs?: boolean;
  readonly detail?: Detail;
}

/** Beside each other where there is room; a single one has no title. */
export interface Columns {
  readonly kind: "columns";
  readonly columns: readonly {
    readonly title: string;
    readonly detail?: Detail;
    readonly body: readonly Block[];
  }[];
  readonly detail?: Detail;
}

/** Parts that add up to the whole. */
export interface Stack {
  readonly kind: "stack";
  readonly title: string;
  readonly parts: readonly { readonly name: string; readonly amount: bigint }[];
  readonly unit: string;
  readonly detail: "page";
}

/** A text to copy: never wrapped, never cut. */
export interface Copyable {
  readonly kind: "copyable";
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly detail?: Detail;
}

export function sentence(text: string, more: Omit<Sentence, "kind" | "text"> = {}): Sentence {
  return { kind: "sentence", text, ...more };
}

export function rowsOf(
  rows: readonly (readonly [label: string, value: string] | Row)[],
  more: Omit<Rows, "kind" | "rows"> = {},
): Rows {
  const row = (each: (typeof rows)[number]): Row =>
    "label" in each ? each : { label: each[0], values: [each[1]] };
  return { kind: "rows", rows: rows.map(row), ...more };
}

/** Sentences, one below the other. */
export function listOf(
  texts: readonly (string | Item)[],
  more: Omit<Items, "kind" | "layout" | "items"> = {},
): Items {
  const items = texts.map((each) => (typeof each === "string" ? { text: each } : each));
  return { kind: "items", layout: "list", items, ...more };
}

export function treeOf(
  items: readonly Item[],
  more: Omit<Items, "kind" | "layout" | "items"> = {},
): Items {
  return { kind: "items", layout: "tree", items, ...more };
}

/** Nothing for null, a list of one otherwise. */
export function present<Value, Made>(value: Value | null, make: (value: Value) => Made): Made[] {
  return value === null ? [] : [make(value)];
}

/** The document as far as somebody asked for it, without blocks that are empty then. */
export function only(document: ReportDocument, details: ReadonlySet<Detail>): ReportDocument {
  const wanted = ({ detail }: { readonly detail?: Detail | undefined }) =>
    detail === undefined || details.has(detail);
  const item = (each: Item): Item => ({
    ...each,
    ...(each.notes && { notes: each.notes.filter(wanted) }),
    ...(each.rows && { rows: each.rows.filter(wanted) }),
    ...(each.below && { below: each.below.filter(wanted).map(item) }),
  });
  const block = (each: Block): Block[] => {
    if (!wanted(each)) return [];
    switch (each.kind) {
      case "rows": {
        const rows = each.rows.filter(wanted);
        return rows.length === 0 ? [] : [{ ...each, rows }];
      }
      case "items": {
        const items = each.items.filter(wanted).map(item);
        return items.length === 0 ? [] : [{ ...each, items }];
      }
      case "table":
        return each.rows.length === 0 ? [] : [each];
      case "columns": {
        const columns = each.columns
          .filter(wanted)
          .map((column) => ({ ...column, body: column.body.flatMap(block) }));
        return columns.every(({ body }) => body.length === 0) ? [] : [{ ...each, columns }];
      }
      default:
        return [each];
    }
  };
  const { head, sections } = document;
  return {
    head: head && { ...head, body: head.body.flatMap(block) },
    sections: sections
      .filter(wanted)
      .map((section) => ({ ...section, body: section.body.flatMap(block) })),
  };
}
