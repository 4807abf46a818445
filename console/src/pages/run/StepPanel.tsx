import { RotateCcw, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { printExact } from '../../data/exactJson.ts';
import type { RunStepQuery } from '../../data/generated/graphql.ts';
import { ask, useAct, useRead } from '../../data/queries.ts';
import { explain } from '../../data/requestError.ts';
import {
  Answer,
  Button,
  Code,
  Countdown,
  Dialog,
  Duration,
  Empty,
  Facts,
  Panel,
  Status,
  serviceNow,
  Time,
  TroubleNote,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { Payload } from '../../payload/Payload.tsx';
import { PageLink, useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import {
  historyDocument,
  retryFromStepDocument,
  runDocument,
  stepDocument,
  wholeStepDocument,
} from './runDocuments.ts';
import styles from './StepPanel.module.css';
import type { RunHead } from './useRun.ts';

type StepRow = NonNullable<RunStepQuery['run']>['stepPage']['nodes'][number];

interface StepPanelProps {
  run: RunHead;
  /** `<index>.<attempt>` */
  step: string;
  onClose: () => void;
  onStep: (step: string) => void;
}

/** One step: its attempts, error, payloads, and what it started. */
export function StepPanel({ run, step, onClose, onStep }: StepPanelProps): ReactNode {
  const [index = 0, attempt = 1] = step.split('.').map(Number);
  const isIndex = Number.isInteger(index) && index >= 0;
  const read = useRead(stepDocument, { id: run.id, index: isIndex ? index : 0 }, { hasPayloads: true });
  const attempts = read.data?.run?.stepPage.nodes;
  const shown = attempts?.find((each) => each.attempt === attempt) ?? attempts?.at(-1);
  const [isRetrying, setRetrying] = useState(false);
  const refusal = useRefusal('start');
  return (
    <Panel
      title={shown ? visibleText(shown.name) : 'Step'}
      actions={
        <>
          <Button
            icon={RotateCcw}
            refusal={refusal ?? (run.endedAt ? undefined : 'the run has not ended')}
            onClick={() => setRetrying(true)}
          >
            Retry from here
          </Button>
          <Button kind="quiet" icon={X} isIconOnly onClick={onClose}>
            Close the step
          </Button>
        </>
      }
    >
      <Answer read={read} isEmpty={() => shown === undefined} empty={<Empty title="The run has no such step" />}>
        {() => shown && attempts && <StepContent runId={run.id} step={shown} attempts={attempts} onStep={onStep} />}
      </Answer>
      {isRetrying && shown && <RetryDialog run={run} step={shown} onClose={() => setRetrying(false)} />}
    </Panel>
  );
}

function StepContent({
  runId,
  step,
  attempts,
  onStep,
}: {
  runId: string;
  step: StepRow;
  attempts: readonly StepRow[];
  onStep: (step: string) => void;
}): ReactNode {
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
    </div>
  );
}

const whole = async (id: string, { index, attempt }: StepRow) =>
  (await ask(wholeStepDocument, { id, index, attempt })).run?.stepAt;

function RetryDialog({ run, step, onClose }: { run: RunHead; step: StepRow; onClose: () => void }): ReactNode {
  const go = useGo();
  const retry = useAct(retryFromStepDocument, {
    refreshes: [runDocument, historyDocument] as never,
    done: () => 'A new run goes on from there',
    onDone: ({ retryRunFromStep }) => {
      onClose();
      if (retryRunFromStep) go(['runs', retryRunFromStep.run.id]);
    },
    isQuiet: true,
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Retry from “${visibleText(step.name)}”?`}
      description="A new run takes over the results of all steps before this one, and executes the rest."
      footer={
        <>
          <Button onClick={onClose}>Do not retry</Button>
          <Button kind="primary" isBusy={retry.isBusy} onClick={() => retry.act({ id: run.id, step: step.name })}>
            Retry from here
          </Button>
        </>
      }
    >
      {retry.error && <TroubleNote trouble={explain(retry.error)} isNarrow />}
    </Dialog>
  );
}
