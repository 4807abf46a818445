/** The reason in an error answer of the service, `{"error": "why"}`; undefined if it has none. */
export function reasonIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // Not JSON: perhaps a proxy's error page. The status suffices.
  }
  return undefined;
}
