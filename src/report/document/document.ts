// A report before it is drawn: sections of sentences, rows, tables and items. What a report says is
// decided here once; text, page, terminal view and Markdown draw it and say nothing of their own.
// Texts may quote the chain: each drawer neutralises what it draws.

import type { Noun } from "../../base/text/counted.ts";
import type { VerdictKind } from "../../model/verdict.ts";
import type { Alignment } from "../../model/what-if.ts";
import { isNamed } from "../report-format.ts";

/** `alert`: what the eye should find first. */
export type Tone = "plain" | "heading" | "good" | "bad" | "caution" | "faint" | "alert";

/**
 * What not every reader wants: a node with a detail is drawn only where it was asked for. `full`:
 * what one screen has no room for. `trace`: what calls did between their calls; `messages`: the
 * host's own of that. `verbose`: to check the report. `values`: in full, beside what a line shows of
 * them. `terminal` and `page`: of use there alone.
 */
export type Detail =
  | "full"
  | "verbose"
  | "trace"
  | "messages"
  | "host-calls"
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
    /** It does not limit what follows: a terminal has it in the last section. */
    readonly last?: boolean;
  };
  readonly body: readonly Block[];
}

export interface Section {
  /** Stable name. */
  readonly id: string;
  /** Null: drawn without a heading. */
  readonly title: string | null;
  /** Beside the title: `proven by a run`. */
  readonly badge?: string | undefined;
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
  readonly apart?: true;
  readonly links?: readonly Link[] | undefined;
  readonly detail?: Detail;
}

/** What has more than a terminal shows. */
interface Limited {
  /** Parts before they are cut in a terminal, and what they are. */
  readonly most?: number;
  readonly noun?: Noun;
  /** Parts of the short report, with all below them. */
  readonly brief?: number;
  readonly detail?: Detail;
}

export interface Rows extends Limited {
  readonly kind: "rows";
  /** `aligned`: values in a column, amounts to the right of it. Others: one line each. */
  readonly layout: "aligned" | "amounts" | "changes" | "lines";
  readonly rows: readonly Row[];
  /** Within what the sentence before it says. */
  readonly inner?: boolean;
}

export interface Row {
  readonly label: string;
  /** Several: before and after. */
  readonly values: readonly string[];
  /** One of two sides: next to the other where there is room. */
  readonly beside?: true;
  /** Part of the row above. */
  readonly depth?: number;
  readonly unit?: string;
  /** The number in `values`, in `unit`. */
  readonly amount?: bigint;
  readonly note?: string | null;
  readonly tone?: Tone;
  readonly detail?: Detail | undefined;
}

export interface Table extends Limited {
  readonly kind: "table";
  readonly title: string;
  readonly headings: readonly string[];
  /** By heading, words before cells: each row is a sentence where there is no room for columns. */
  readonly leads?: Readonly<Record<string, string>>;
  readonly rows: readonly (readonly Cell[])[];
  /** The number by which each row can be ordered: the instructions of a cost. */
  readonly amounts?: readonly (bigint | null)[];
  /** Positions of the rows that made the transaction fail. */
  readonly failed?: readonly number[];
}

/** A row of a table as a sentence: each cell after the words of its column. */
export function rowInWords(
  cells: readonly (string | null)[],
  headings: readonly string[],
  leads: NonNullable<Table["leads"]>,
): string {
  const words = cells.flatMap((cell, i) => (cell === null ? [] : [leads[headings[i] ?? ""], cell]));
  return words.filter(Boolean).join(" ");
}

/** A number that does not exist is null. `share`: of 1. */
export type Cell = string | null | { readonly text: string; readonly share: number };

export interface Items extends Limited {
  readonly kind: "items";
  /** `list`: sentences. `tree`: things, with what is below them. */
  readonly layout: "list" | "tree";
  readonly items: readonly Item[];
  /** The number of subjects of each item before they are cut in a terminal. */
  readonly mostSubjects?: number;
  /** Items that the document does not have either. */
  readonly omitted?: number;
  /** Characters of the longest badge, where they form a column. */
  readonly badgeColumns?: number;
  readonly inner?: boolean;
  /** Every value and field is drawn to its end, because somebody signs it. */
  readonly whole?: true;
}

/** Words of a text that lead to where their value came from. */
export interface Link {
  readonly words: string;
  /** The position in the text at which the words begin. */
  readonly at: number;
  /** The id of an item or of a section. */
  readonly to: string;
}

export interface Item {
  readonly text: string | Signature;
  /** Links lead to it. */
  readonly id?: string | undefined;
  readonly links?: readonly Link[] | undefined;
  /** `step`: what a call did. */
  readonly role?: "call" | "step" | "host-call";
  readonly tone?: Tone | undefined;
  /** A word for its kind: `updated`. */
  readonly badge?: string | undefined;
  readonly badgeTone?: Tone;
  readonly alignment?: Alignment;
  /** The text of the item in the other run. */
  readonly before?: string | undefined;
  /** After the text: one value, or before and after. */
  readonly values?: readonly string[];
  /** After the text, in a word: `authorized`. */
  readonly outcome?: string;
  /** `in`, `contract event of`, and the contract. */
  readonly where?: { readonly lead: string; readonly name: string } | undefined;
  readonly cost?: string;
  /** The numbers of the cost, for columns: instructions, their share of all, bytes. */
  readonly cells?: readonly string[];
  /** The number in the first cell. */
  readonly amount?: bigint;
  /** Parts of all instructions, of 1: without and with what is below. */
  readonly shares?: { readonly self: number; readonly total: number };
  readonly notes?: readonly Note[] | undefined;
  readonly rows?: readonly Row[] | undefined;
  /** Names that the text is about; all of the same kind. */
  readonly subjects?: readonly string[];
  /** Where its text does not say it. */
  readonly failed?: boolean;
  /** A frame that only contains others: drawn where all costs are to add up. */
  readonly frame?: true;
  /** Host calls that the host itself made are deeper. */
  readonly depth?: number;
  /** Calls that it stands for. */
  readonly times?: number;
  readonly below?: readonly Item[] | undefined;
  readonly detail?: Detail;
}

/** A call, an event: a name with values. */
export interface Signature {
  readonly name: string;
  readonly values: readonly { readonly name: string | null; readonly value: string }[];
  /** Absent: it did not run. Null: it failed. */
  readonly result?: string | null;
  /** Why it failed, where that is known. */
  readonly error?: string;
}

export interface Note {
  readonly text: string;
  /** True if the text is a command, as it is typed. */
  readonly isCommand?: true;
  readonly lead?: string;
  readonly tone?: Tone;
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
  /** The whole in another unit. */
  readonly note?: string;
  readonly detail?: Detail;
}

/** A text to copy: never wrapped, never cut. */
export interface Copyable {
  readonly kind: "copyable";
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Links that open the text elsewhere, such as in a wallet. Only pages show them. */
  readonly openers?: readonly Opener[];
  readonly detail?: Detail;
}

export interface Opener {
  readonly words: string;
  readonly url: string;
}

/** The content of a part of a report, as it is written: sentences alone are texts. */
export type Content = Block | string | null | undefined | false | readonly Content[];

export function blocks(content: Content): Block[] {
  if (!content) return [];
  if (typeof content === "string") return [sentence(content)];
  return "kind" in content ? [content] : content.flatMap(blocks);
}

/** Content in a function is made when somebody asks for the section. */
export function section(
  id: string,
  title: string | null,
  content: Content | (() => Content),
  more: Partial<Pick<Section, "level" | "detail" | "empty" | "badge">> = {},
): Section {
  const body = () => blocks(typeof content === "function" ? content() : content);
  return {
    id,
    title,
    level: "details",
    ...more,
    get body() {
      return body();
    },
  };
}

export function sentence(text: string, more: Omit<Sentence, "kind" | "text"> = {}): Sentence {
  return { kind: "sentence", text, ...more };
}

/** Without rows that have no value. */
export function rowsOf(
  rows: readonly (readonly [label: string, value: string | null | undefined] | Row)[],
  more: Partial<Omit<Rows, "kind" | "rows">> = {},
): Rows {
  const row = (each: (typeof rows)[number]): Row[] => {
    if ("label" in each) return [each];
    const [label, value] = each;
    return value == null ? [] : [{ label, values: [value] }];
  };
  return { kind: "rows", layout: "aligned", ...more, rows: rows.flatMap(row) };
}

export function itemsOf(
  layout: Items["layout"],
  items: readonly (Item | string)[],
  more: Omit<Items, "kind" | "layout" | "items"> = {},
): Items {
  const all = items.map((each) => (typeof each === "string" ? { text: each } : each));
  return { kind: "items", layout, items: all, ...more };
}

/** The document as far as somebody asked for it. */
export interface Excerpt extends ReportDocument {
  /** Names of the sections that have more. */
  readonly cut: readonly string[];
}

export const VERDICT_SECTION = "verdict";
/** In every excerpt: how far to trust it, and what failed of the user's expectations. */
const ALWAYS: readonly string[] = [VERDICT_SECTION, "expectations"];
/** What a section has that is shown by its name. */
const IN_FULL: readonly Detail[] = ["full", "trace", "verbose", "costs"];

/**
 * Without blocks that are empty then. `shown`: names of the sections that alone are in it, in full;
 * empty: all of them.
 */
export function only(
  { head, sections }: ReportDocument,
  details: ReadonlySet<Detail>,
  shown: readonly string[] = [],
): Excerpt {
  const cut = new Set<string>();
  const excerptOf = (id: string, body: readonly Block[], of: ReadonlySet<Detail>) => {
    const isShown = ({ detail }: { readonly detail?: Detail | undefined }) => {
      const isWanted = detail === undefined || of.has(detail);
      if (!isWanted && detail === "full") cut.add(id);
      return isWanted;
    };
    const item = (each: Item): Item => ({
      ...each,
      notes: each.notes?.filter(isShown),
      rows: each.rows?.filter(isShown),
      below: each.below?.filter(isShown).map(item),
    });
    const filtered = (block: Block): Block => {
      if (block.kind === "rows") return { ...block, rows: block.rows.filter(isShown) };
      if (block.kind === "items") {
        if (!of.has("full") && isCutShort(block)) cut.add(id);
        return { ...block, items: block.items.filter(isShown).map(item) };
      }
      if (block.kind !== "columns") return block;
      const columns = block.columns.filter(isShown);
      return { ...block, columns: columns.map((each) => ({ ...each, body: blocksOf(each.body) })) };
    };
    const blocksOf = (all: readonly Block[]): Block[] =>
      all
        .filter(isShown)
        .map(filtered)
        .filter((block) => !isEmpty(block));
    return blocksOf(body);
  };
  const named = (id: string) => shown.some((name) => isNamed(id, name));
  const isChosen = ({ id }: Section) => shown.length === 0 || named(id) || ALWAYS.includes(id);
  const inFull = new Set([...details, ...IN_FULL]);
  return {
    head: head && { ...head, body: excerptOf("head", head.body, details) },
    sections: sections.filter(isChosen).flatMap((section): Section[] => {
      const { id, detail } = section;
      const of = named(id) ? inFull : details;
      if (detail === undefined || of.has(detail)) {
        const { body, ...others } = section;
        return [{ ...others, body: excerptOf(id, body, of) }];
      }
      if (detail === "full" && !section.body.every(isEmpty)) cut.add(id);
      return [];
    }),
    cut: [...cut],
  };
}

function isCutShort({ items, brief = items.length, mostSubjects }: Items): boolean {
  const isLong = ({ subjects = [] }: Item) => subjects.length > (mostSubjects ?? subjects.length);
  return items.length > brief || items.some(isLong);
}

function isEmpty(block: Block): boolean {
  if (block.kind === "items") return block.items.length === 0;
  if (block.kind === "columns") return block.columns.every(({ body }) => body.length === 0);
  return (block.kind === "rows" || block.kind === "table") && block.rows.length === 0;
}
