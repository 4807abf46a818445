import { type ReactNode, useState } from 'react';
import { explain } from '../../data/requestError.ts';
import { Button, bytesText, tell } from '../../design/index.ts';
import { Diff } from '../../payload/Diff.tsx';
import { Payload } from '../../payload/Payload.tsx';
import { comparePayloads, type PayloadHead } from './alignSteps.ts';
import styles from './Compare.module.css';

interface PayloadPairProps {
  /** `Input`, `Output`. */
  what: string;
  before: PayloadHead | null | undefined;
  after: PayloadHead | null | undefined;
  /** Reads both texts as a whole. */
  readAll: () => Promise<[before: string | undefined, after: string | undefined]>;
}

/** Two payloads: their diff, or the one text if they are alike. Long ones show their first part. */
export function PayloadPair({ what, before, after, readAll }: PayloadPairProps): ReactNode {
  const [whole, setWhole] = useState<readonly (PayloadHead | undefined)[]>();
  const [left, right] = whole ?? [before, after];
  const shown = right ?? left;
  if (!shown) return null;
  const lower = what.toLowerCase();
  if (!left || !right)
    return (
      <section className={styles['pair']} aria-label={what}>
        <p className={styles['note']}>
          Only the {left ? 'earlier' : 'later'} run has an {lower}.
        </p>
        <Payload what={what} text={shown.head} bytes={shown.bytes} readAll={async () => wholeOf(await readAll())} />
      </section>
    );
  const state = comparePayloads(left, right);
  const isCut = isPart(left) || isPart(right);
  const all = (): void =>
    void readAll().then(
      (texts) => setWhole(texts.map((text) => (text === undefined ? undefined : headOf(text)))),
      (error: unknown) => tell(explain(error).title, { isFailure: true }),
    );
  return (
    <section className={styles['pair']} aria-label={what}>
      {state === 'different' ? (
        <>
          <header className={styles['pair-head']}>
            <h3>{what}</h3>
            <span className={styles['legend']}>
              <del>earlier, {bytesText(left.bytes)}</del> <ins>later, {bytesText(right.bytes)}</ins>
            </span>
          </header>
          <div className={styles['diff']}>
            <Diff
              what={`${what}: changes from the earlier run to the later one`}
              before={left.head}
              after={right.head}
            />
          </div>
        </>
      ) : (
        <>
          <p className={styles['note']}>
            {state === 'same'
              ? `The ${lower} is the same in both runs.`
              : `The first parts of the ${lower} are the same.`}
          </p>
          <Payload what={what} text={shown.head} />
        </>
      )}
      {isCut && (
        <p className={styles['note']}>
          The first parts are compared. <Button onClick={all}>Compare all of both</Button>
        </p>
      )}
    </section>
  );
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
const headOf = (text: string): PayloadHead => ({ bytes: bytesOf(text), head: text });
const isPart = ({ bytes, head }: PayloadHead): boolean => bytesOf(head) < bytes;
const wholeOf = ([before, after]: [string | undefined, string | undefined]): string => after ?? before ?? '';
