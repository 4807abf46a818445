import type DataLoader from 'dataloader';
import { headOf, type PayloadHead } from '../../engine/paging/index.ts';
import type { AnswerMeter } from './answerMeter.ts';
import { loadEach } from './batch.ts';
import { readLarge } from './payloadLoader.ts';

interface HeadKey<Owner, Column> {
  of: Owner;
  column: Column;
  /** Characters to read; 0 reads the size only. */
  characters: number;
  /** Bytes that these may have. */
  bytes: number;
}

/** What a statement reads: a payload of an owner, and characters of its text. */
export type WantedHead<Owner, Column> = Owner & { part: Column; characters: number };

/** Payloads of one statement: two columns of a large page. */
const maxHeads = 2000;

/** No character has more bytes of UTF-8. */
const maxBytesOfCharacter = 4;

/**
 * Loads sizes and beginnings of payloads: all sizes of one tick in one statement, and then all
 * beginnings in another. A beginning is read once the answer has memory for it.
 */
export class HeadLoader<Owner extends object, Column extends string> {
  readonly #loader: DataLoader<HeadKey<Owner, Column>, PayloadHead | undefined, string>;

  constructor(
    meter: AnswerMeter,
    nameOf: (owner: Owner) => string,
    fetch: (wanted: readonly WantedHead<Owner, Column>[]) => Promise<PayloadHead[]>,
  ) {
    const keyOf = ({ of, column, characters }: HeadKey<Owner, Column>): string =>
      `${column} ${characters} ${nameOf(of)}`;
    this.#loader = loadEach(
      async (keys) => {
        const wanted = keys.map(({ of, column, characters }) => ({ ...of, part: column, characters }));
        const bytes = keys.reduce((sum, key) => sum + key.bytes, 0);
        const found = new Map<string, PayloadHead>();
        for (const row of await readLarge(meter, bytes, () => fetch(wanted))) {
          const key = keys[row.n];
          if (key) found.set(keyOf(key), row);
        }
        return found;
      },
      keyOf,
      maxHeads,
    );
  }

  /** The size of a payload in bytes; undefined if there is none. */
  async size(of: Owner, column: Column): Promise<number | undefined> {
    return (await this.#loader.load({ of, column, characters: 0, bytes: 0 }))?.bytes;
  }

  /** The beginning of a payload of a known size: at most `bytes`, in whole characters. */
  async head(of: Owner, column: Column, { size, bytes }: { size: number; bytes: number }): Promise<string> {
    const characters = Math.min(size, bytes);
    const most = Math.min(size, characters * maxBytesOfCharacter);
    const row = await this.#loader.load({ of, column, characters, bytes: most });
    return headOf(row?.head ?? '', bytes);
  }
}
