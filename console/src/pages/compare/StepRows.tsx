import { type ReactNode, useState } from 'react';
import {
  Badge,
  Button,
  Cell,
  Duration,
  Empty,
  Head,
  isFinal,
  Status,
  Table,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { moveRowFocus } from '../../router/RowLink.tsx';
import { type ComparedStep, type Fold, foldAlike, parts, type Row } from './alignSteps.ts';
import styles from './Compare.module.css';
import { differenceText } from './compareWords.ts';
import { FoldButton } from './FoldButton.tsx';
import { StepDetail } from './StepDetail.tsx';

interface StepRowsProps {
  rows: readonly Row[];
  /** The ids of the runs. */
  runs: { before: string; after: string };
  /** The key of the open row. */
  open: string | undefined;
  onToggle: (key: string) => void;
}

/** So many rows are drawn at first, and more on request. */
const rowsAtOnce = 200;

/** A row for each step, with its status in both runs. Stretches of alike steps are folded. */
export function StepRows({ rows, runs, open, onToggle }: StepRowsProps): ReactNode {
  const [openFolds, setOpenFolds] = useState<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(rowsAtOnce);
  if (rows.length === 0) return <Empty title="Neither run has a step yet" />;
  const list = foldAlike(rows, openFolds, open);
  // The open row is drawn, however far down it is.
  const shown = Math.max(limit, list.findIndex(({ key }) => key === open) + 1);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrow keys bubble from the buttons of the rows.
    <div onKeyDown={moveRowFocus}>
      <Table
        label="Steps of both runs"
        isCards
        head={
          <>
            <Head>Step</Head>
            <Head width="15rem">Earlier run</Head>
            <Head width="15rem">Later run</Head>
            <Head width="13rem">Difference</Head>
          </>
        }
      >
        {list
          .slice(0, shown)
          .map((each) =>
            'rows' in each ? (
              <FoldRow key={each.key} fold={each} onOpen={() => setOpenFolds(new Set([...openFolds, each.key]))} />
            ) : (
              <StepRow key={each.key} row={each} runs={runs} isOpen={each.key === open} onToggle={onToggle} />
            ),
          )}
      </Table>
      {list.length > shown && (
        <p className={styles['end']}>
          {shown} of {list.length} rows <Button onClick={() => setLimit(shown + rowsAtOnce)}>Show more</Button>
        </p>
      )}
    </div>
  );
}

function FoldRow({ fold, onOpen }: { fold: Fold; onOpen: () => void }): ReactNode {
  return (
    <tr className={styles['alike']}>
      <Cell colSpan={4} className={styles['across']}>
        <FoldButton isOpen={false} onPress={onOpen}>
          {fold.rows.length} alike steps
        </FoldButton>
      </Cell>
    </tr>
  );
}

interface StepRowProps {
  row: Row;
  runs: { before: string; after: string };
  isOpen: boolean;
  onToggle: (key: string) => void;
}

function StepRow({ row, runs, isOpen, onToggle }: StepRowProps): ReactNode {
  const { key, name, before, after, differences } = row;
  const hasOtherKind = differences.includes('kind');
  return (
    <>
      <tr data-step={key} aria-selected={isOpen}>
        <Cell className={styles['across']}>
          <FoldButton isOpen={isOpen} onPress={() => onToggle(key)}>
            {visibleText(name)}
            <span className={styles['kind']}>{kindsOf(before, after)}</span>
          </FoldButton>
        </Cell>
        <Cell className={styles['half']}>
          <Side step={before} what="Earlier run" hasKind={hasOtherKind} />
        </Cell>
        <Cell className={styles['half']}>
          <Side step={after} what="Later run" hasKind={hasOtherKind} />
        </Cell>
        <Cell className={styles['across']}>
          {differences.length === 0 && !row.isUnread ? (
            <span className={styles['faint']}>alike</span>
          ) : (
            <Badge tone={parts(row) ? 'hold' : 'idle'}>{differenceText(row)}</Badge>
          )}
        </Cell>
      </tr>
      {isOpen && (
        <tr className={styles['detail']}>
          <Cell colSpan={4} className={styles['across']}>
            <StepDetail row={row} runs={runs} />
          </Cell>
        </tr>
      )}
    </>
  );
}

const kindsOf = (before: ComparedStep | undefined, after: ComparedStep | undefined): string =>
  [...new Set([before, after].flatMap((step) => (step ? [step.kind] : [])))]
    .filter((kind, _at, kinds) => kinds.length > 1 || kind !== 'RUN')
    .map(wordsOf)
    .join(', then ');

interface SideProps {
  step: ComparedStep | undefined;
  /** Read out, and shown where the columns are cards. */
  what: string;
  hasKind: boolean;
}

function Side({ step, what, hasKind }: SideProps): ReactNode {
  return (
    <span className={styles['step']}>
      <span className={styles['whose']}>{what}</span>
      {step ? (
        <>
          <Status status={step.status} />
          <span className={styles['faint']}>
            <Duration ms={step.durationMs} since={isFinal(step.status) ? undefined : step.startedAt} />
            {step.attempt > 1 && `, attempt ${step.attempt}`}
            {hasKind && `, ${wordsOf(step.kind).toLowerCase()}`}
          </span>
        </>
      ) : (
        <span className={styles['faint']}>not there</span>
      )}
    </span>
  );
}
