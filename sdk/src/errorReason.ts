/**
 * The reason in the service's answer of failure, `{"error": "why"}`; undefined where it is none of
 * the service's.
 */
export function reasonIn(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string')
      return body.error;
  } catch {
    // A proxy's page, perhaps. The status says enough.
  }
  return undefined;
}
