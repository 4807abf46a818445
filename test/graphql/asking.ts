export interface Answer {
  status: number;
  text: string;
  headers: Headers;
  body: { data?: Record<string, unknown>; errors?: { message: string; extensions: { code: string } }[] };
}

export interface AskOptions {
  /** Instead of the usual key. */
  token?: string;
  headers?: Record<string, string>;
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, text, headers: response.headers, body: isJson ? JSON.parse(text) : {} };
}

/** Posts a body as it is, to a service and with a key that are there by then. */
export async function postTo(
  place: { url: string; token: string },
  body: string,
  { token = place.token, headers = {} }: AskOptions = {},
): Promise<Answer> {
  const usual = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(place.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, ...usual, ...headers },
    body,
  });
  return answerOf(response);
}

export const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0]?.extensions.code;
