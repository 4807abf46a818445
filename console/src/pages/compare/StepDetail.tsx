import type { ReactNode } from 'react';
import type { OpenedStepQuery } from '../../data/generated/graphql.ts';
import { ask, useRead } from '../../data/queries.ts';
import { Answer, Code, type Read, visibleText } from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { wholeStepDocument } from '../run/stepDocuments.ts';
import type { ComparedStep, Row } from './alignSteps.ts';
import styles from './Compare.module.css';
import { openedStepDocument } from './compareDocuments.ts';
import { PayloadPair } from './PayloadPair.tsx';

interface StepDetailProps {
  row: Row;
  runs: { before: string; after: string };
}

type Opened = NonNullable<NonNullable<OpenedStepQuery['run']>['stepAt']>;

/** The payloads and errors of a step in both runs, read when its row is opened. */
export function StepDetail({ row, runs }: StepDetailProps): ReactNode {
  const left = useOpened(runs.before, row.before);
  const right = useOpened(runs.after, row.after);
  return (
    <div className={styles['opened']}>
      <p className={styles['links']}>
        {row.before && <StepLink run={runs.before} step={row.before} what="the earlier run" />}
        {row.after && <StepLink run={runs.after} step={row.after} what="the later run" />}
      </p>
      <Answer read={left} skeleton={{ rows: 3 }}>
        {({ run: one }) => (
          <Answer read={right} skeleton={{ rows: 3 }}>
            {({ run: other }) => (
              <Parts row={row} runs={runs} before={one?.stepAt ?? undefined} after={other?.stepAt ?? undefined} />
            )}
          </Answer>
        )}
      </Answer>
    </div>
  );
}

/** The step of a run; nothing is read of a run without it. */
function useOpened(id: string, step: ComparedStep | undefined): Read<OpenedStepQuery> {
  const read = useRead(
    openedStepDocument,
    { id, index: step?.index ?? 0, attempt: step?.attempt ?? 1 },
    { hasPayloads: true, isEnabled: step !== undefined },
  );
  return step ? read : { data: { run: null }, trouble: undefined, isOld: false, retry: () => {} };
}

function StepLink({ run, step, what }: { run: string; step: ComparedStep; what: string }): ReactNode {
  return (
    <PageLink to={['runs', run]} search={{ step: `${step.index}.${step.attempt}` }}>
      The step in {what}
    </PageLink>
  );
}

interface PartsProps extends StepDetailProps {
  before: Opened | undefined;
  after: Opened | undefined;
}

function Parts({ row, runs, before, after }: PartsProps): ReactNode {
  const whole = async (id: string, step: ComparedStep | undefined) =>
    step && (await ask(wholeStepDocument, { id, index: step.index, attempt: step.attempt })).run?.stepAt;
  const both =
    (field: 'inputPayload' | 'outputPayload') => async (): Promise<[string | undefined, string | undefined]> => {
      const [one, other] = await Promise.all([whole(runs.before, row.before), whole(runs.after, row.after)]);
      return [one?.[field]?.text, other?.[field]?.text];
    };
  const hasNothing = [before, after].every((each) => !each?.inputPayload && !each?.outputPayload && !each?.error);
  if (hasNothing) return <p className={styles['soft']}>The step has neither input, output nor error.</p>;
  return (
    <>
      <Errors before={before} after={after} />
      <PayloadPair
        what="Input"
        before={before?.inputPayload}
        after={after?.inputPayload}
        readAll={both('inputPayload')}
      />
      <PayloadPair
        what="Output"
        before={before?.outputPayload}
        after={after?.outputPayload}
        readAll={both('outputPayload')}
      />
    </>
  );
}

/** The errors of both runs; once if they are the same. */
function Errors({ before, after }: { before: Opened | undefined; after: Opened | undefined }): ReactNode {
  const [one, other] = [errorText(before), errorText(after)];
  if (one !== undefined && one === other) return <ErrorPart title="Error of both runs" text={one} />;
  return (
    <>
      {one !== undefined && <ErrorPart title="Error of the earlier run" text={one} />}
      {other !== undefined && <ErrorPart title="Error of the later run" text={other} />}
    </>
  );
}

const errorText = (step: Opened | undefined): string | undefined =>
  step?.error ? [step.error.name, step.error.message].filter(Boolean).join(': ') : undefined;

function ErrorPart({ title, text }: { title: string; text: string }): ReactNode {
  return (
    <section className={styles['pair']} aria-label={title}>
      <h3>{title}</h3>
      <Code text={visibleText(text)} what="error" isWrapped />
    </section>
  );
}
