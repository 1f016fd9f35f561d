// The text of the `?` key; fits the smallest screen.

export const HELP_LINES: readonly string[] = [
  "",
  "  j k  up down       next, previous line      / text enter  search this tab",
  "  PgUp PgDn          a page                   n N           next, previous match",
  "  g G  Home End      first, last line         Esc           end the search",
  "",
  "  enter  space       fold, unfold             c C           next, previous call",
  "  h  left            fold, or go to parent    e             next error",
  "  l  right           unfold, or go inside     J K           scroll the details",
  "  z Z                fold all, unfold all",
  "",
  "  1 2 3 4 5 6        show a tab               Ctrl-L        draw again",
  "  Tab  Shift-Tab     next, previous tab       Ctrl-Z        suspend (fg returns)",
  "  ?                  this help                q             quit",
  "",
  "  A mark before a name means that it failed. Instructions and bytes of a call",
  "  are totals that include all calls below it; the details show the self cost.",
  "  The details show the selected line in full. A search covers lines and details.",
];
