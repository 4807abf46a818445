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

/** The first error in an answer of GraphQL; undefined if it has none. */
export function graphqlErrorIn(text: string): { message: string; code: string } | undefined {
  try {
    const { errors }: { errors?: unknown } = Object(JSON.parse(text));
    const [first]: unknown[] = Array.isArray(errors) ? errors : [];
    const { message, extensions }: { message?: unknown; extensions?: unknown } = Object(first);
    const { code }: { code?: unknown } = Object(extensions);
    return typeof message === 'string' ? { message, code: String(code) } : undefined;
  } catch {
    return undefined;
  }
}
