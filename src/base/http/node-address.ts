// A node's address for people, logs and metrics. Node URLs carry secrets in the user part, the
// query and often the path (`/v2/<api key>`), so all of these are left out.

/** `https://host:port`, with `/…` when there was a path. */
export function nodeAddress(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === "/" || pathname === "" ? "" : "/…"}`;
}

/** `https://host:port`: the key of everything that is counted for one node. */
export function nodeOrigin(url: string): string {
  return nodeAddress(url).replace(/\/…$/, "");
}
