// A node's address as people, logs and metrics may see it. Node URLs carry secrets in the user
// part, the query and often the path (`/v2/<api key>`): none of these ever passes.

/** `https://host:port`, with `/…` when there was a path; never more. */
export function nodeAddress(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" || pathname === "" ? "" : "/…"}`;
}

/** `https://host:port` alone: what all that is counted of one node goes by. */
export function nodeOrigin(url: string): string {
  return nodeAddress(url).replace(/\/…$/, "");
}
