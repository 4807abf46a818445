import type { ReactNode } from 'react';
import { printExact } from '../../data/exactJson.ts';
import type { RunStepQuery } from '../../data/generated/graphql.ts';
import { ask } from '../../data/queries.ts';
import {
  Button,
  Code,
  Countdown,
  Duration,
  Facts,
  Status,
  serviceNow,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { StepLogs } from './StepLogs.tsx';
import styles from './StepPanel.module.css';
import { wholeStepDocument } from './stepDocuments.ts';

export type StepRow = NonNullable<RunStepQuery['run']>['stepPage']['nodes'][number];

interface StepContentProps {
  runId: string;
  step: StepRow;
  attempts: readonly StepRow[];
  /** The run has not ended. */
  isLive: boolean;
  onStep: (step: string) => void;
  /** Shows the lines of the step among all of the run. */
  onLogs: () => void;
}

/** The input and the output of a step, and what it started. */
export function StepContent({ runId, step, attempts, isLive, onStep, onLogs }: StepContentProps): ReactNode {
  return (
    <div className={styles['content']}>
      {attempts.length > 1 && (
        <fieldset className={styles['attempts']}>
          <legend className="unseen">Attempts</legend>
          {attempts.map(({ index, attempt, status }) => (
            <Button key={attempt} aria-pressed={attempt === step.attempt} onClick={() => onStep(`${index}.${attempt}`)}>
              Attempt {attempt} <Status status={status} isCompact />
            </Button>
          ))}
        </fieldset>
      )}
      <Facts
        facts={[
          ['Status', <Status key="s" status={step.status} />],
          ['Kind', wordsOf(step.kind)],
          ['Attempt', String(step.attempt)],
          ['Duration', <Duration key="d" ms={step.durationMs} since={step.endedAt ? undefined : step.startedAt} />],
          ['Started', <Time key="t" at={step.startedAt} />],
          step.runAfter && !step.endedAt ? ['Wakes', <Countdown key="w" until={step.runAfter} />] : false,
          step.nextAttemptAt && Date.parse(step.nextAttemptAt) > serviceNow()
            ? ['Next attempt', <Countdown key="n" until={step.nextAttemptAt} />]
            : false,
          step.eventIf ? ['If', <code key="i">{visibleText(step.eventIf)}</code>] : false,
          step.eventName ? ['Waits for', visibleText(step.eventName)] : false,
          step.childRunId
            ? [
                'Child',
                <PageLink key="c" to={['runs', step.childRunId]}>{`Run …${step.childRunId.slice(-6)}`}</PageLink>,
              ]
            : false,
          step.approval
            ? [
                'Approval',
                <PageLink key="a" to={['approvals', step.approval.id]}>
                  {visibleText(step.approval.tool)}
                </PageLink>,
              ]
            : false,
          step.delivery
            ? [
                'Delivery',
                <PageLink key="v" to={['webhooks', 'deliveries', step.delivery.id]}>
                  {visibleText(step.delivery.url)}
                </PageLink>,
              ]
            : false,
          step.emittedEvent
            ? [
                'Event',
                <PageLink key="e" to={['events', step.emittedEvent.id]}>
                  {visibleText(step.emittedEvent.name)}
                </PageLink>,
              ]
            : false,
        ]}
      />
      {step.error && (
        <div>
          <h3>{visibleText(step.error.name ?? 'Error')}</h3>
          <Code text={step.error.stack ?? step.error.message} what="error" isWrapped />
        </div>
      )}
      {step.inputPayload && (
        <Payload
          what="Input"
          text={step.inputPayload.head}
          bytes={step.inputPayload.bytes}
          readAll={async () => (await whole(runId, step))?.inputPayload?.text ?? ''}
        />
      )}
      {step.outputPayload && (
        <Payload
          what="Output"
          text={step.outputPayload.head}
          bytes={step.outputPayload.bytes}
          readAll={async () => (await whole(runId, step))?.outputPayload?.text ?? ''}
        />
      )}
      {step.ai != null && <Payload what="Model call" text={printExact(step.ai)} />}
      <StepLogs runId={runId} step={step} isLive={isLive} onAll={onLogs} />
    </div>
  );
}

const whole = async (id: string, { index, attempt }: StepRow) =>
  (await ask(wholeStepDocument, { id, index, attempt })).run?.stepAt;
