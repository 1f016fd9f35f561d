// What can be drawn, and how: one function per value and format. Renderers draw and never decide;
// they return the whole text, newline at the end included.

export { renderJson, renderVerificationJson } from "./json.ts";
export { renderText, type TextOptions } from "./text/render-text.ts";
export { renderVerificationText } from "./text/render-verification.ts";
