/** The parts of an event that its sender's request carried beside the data. */
export interface Envelope {
  /** The headers that its webhook source exposes, by name in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The W3C trace context of the sender. */
  traceparent?: string | undefined;
}

const empty: Envelope = {};

/** Reads the text of a column, which `envelopeText` wrote. */
export const readEnvelope = (text: string | null | undefined): Envelope =>
  text === null || text === undefined ? empty : JSON.parse(text);

/** The text to store; undefined for an empty envelope. */
export function envelopeText({ headers, traceparent }: Envelope): string | undefined {
  return headers || traceparent !== undefined ? JSON.stringify({ headers, traceparent } satisfies Envelope) : undefined;
}
