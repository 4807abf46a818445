import { Equal, EqualNot } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { Answer, Button, classes, Panel, Stack } from '../../design/index.ts';
import { alignSteps } from './alignSteps.ts';
import styles from './Compare.module.css';
import type { CompareSearch } from './compareSearch.ts';
import { countsText, partingText } from './compareWords.ts';
import { RunFacts } from './RunFacts.tsx';
import { RunPayloadRows } from './RunPayloadRows.tsx';
import { StepRows } from './StepRows.tsx';
import { type ComparedRun, useComparedSteps } from './useComparedRun.ts';

interface ComparisonProps {
  before: ComparedRun;
  after: ComparedRun;
  search: CompareSearch;
  onChange: (search: CompareSearch) => void;
}

/** Where the runs part first; then the runs themselves, all steps, and the runs' payloads. */
export function Comparison({ before, after, search, onChange }: ComparisonProps): ReactNode {
  const left = useComparedSteps(before);
  const right = useComparedSteps(after);
  const rows = useMemo(() => alignSteps(left.steps, right.steps), [left.steps, right.steps]);
  const isPartial = left.isPartial || right.isPartial;
  const parting = partingText(rows, {
    hasBeforeEnded: before.endedAt != null,
    hasAfterEnded: after.endedAt != null,
  });
  const open = search.closed ? undefined : (search.step ?? (search.open || isPartial ? undefined : parting.row?.key));
  const toggle = (key: string): void =>
    onChange(
      open === key
        ? { ...search, step: undefined, closed: true }
        : { ...search, step: key, open: undefined, closed: undefined },
    );
  const show = (): void => {
    const key = parting.row?.key;
    if (key === undefined) return;
    if (open !== key) toggle(key);
    const find = (): Element | undefined =>
      [...document.querySelectorAll('[data-step]')].find((each) => each.getAttribute('data-step') === key);
    requestAnimationFrame(() => {
      const found = find();
      found?.scrollIntoView({ block: 'center' });
      found?.querySelector('button')?.focus({ preventScroll: true });
    });
  };
  const Icon = parting.row ? EqualNot : Equal;
  return (
    <Stack>
      <section className={classes(styles['parting'], parting.row && styles['apart'])} aria-label="Where the runs part">
        <Icon size={20} aria-hidden />
        <div className={styles['words']} role="status">
          {isPartial ? (
            <p className={styles['sentence']}>The steps are being read…</p>
          ) : (
            <>
              <p className={styles['sentence']}>{parting.text}</p>
              <p className={styles['soft']}>Steps: {countsText(rows)}</p>
            </>
          )}
        </div>
        {!isPartial && parting.row && <Button onClick={show}>Go to the step</Button>}
      </section>
      <RunFacts before={before} after={after} />
      <Panel title="Steps" isFlush>
        <Answer read={left.read} skeleton={{ rows: 6 }}>
          {() => (
            <Answer read={right.read} skeleton={{ rows: 6 }}>
              {() => (
                <StepRows rows={rows} runs={{ before: before.id, after: after.id }} open={open} onToggle={toggle} />
              )}
            </Answer>
          )}
        </Answer>
      </Panel>
      <RunPayloadRows before={before} after={after} search={search} onChange={onChange} />
    </Stack>
  );
}
