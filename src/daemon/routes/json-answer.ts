// A response with JSON text.

export function jsonAnswer(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "application/json" } });
}
