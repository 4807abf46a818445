import { RotateCcw, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useAct, useRead } from '../../data/queries.ts';
import { Answer, Button, Confirm, Dialog, Empty, Panel, useIsNarrow, visibleText } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { retryFromStepDocument } from './controlDocuments.ts';
import { historyDocument, runDocument } from './runDocuments.ts';
import { StepContent, type StepRow } from './StepContent.tsx';
import { stepDocument } from './stepDocuments.ts';
import type { RunHead } from './useRun.ts';

interface StepPanelProps {
  run: RunHead;
  /** `<index>.<attempt>` */
  step: string;
  onClose: () => void;
  onStep: (step: string) => void;
  onLogs: (scope: string) => void;
}

/** One step beside the timeline; on a narrow screen, a sheet over it. */
export function StepPanel({ run, step, onClose, onStep, onLogs }: StepPanelProps): ReactNode {
  const [index = 0, attempt = 1] = step.split('.').map(Number);
  const isIndex = Number.isInteger(index) && index >= 0;
  const read = useRead(stepDocument, { id: run.id, index: isIndex ? index : 0 }, { hasPayloads: true });
  const attempts = read.data?.run?.stepPage.nodes;
  const shown = attempts?.find((each) => each.attempt === attempt) ?? attempts?.at(-1);
  const [isRetrying, setRetrying] = useState(false);
  const refusal = useRefusal('start');
  const isNarrow = useIsNarrow();
  const title = shown ? visibleText(shown.name) : 'Step';
  const retry = (
    <Button
      icon={RotateCcw}
      refusal={refusal ?? (run.endedAt ? undefined : 'the run has not ended')}
      onClick={() => setRetrying(true)}
    >
      Retry from here
    </Button>
  );
  const content = (
    <>
      <Answer read={read} isEmpty={() => shown === undefined} empty={<Empty title="The run has no such step" />}>
        {() =>
          shown &&
          attempts && (
            <StepContent
              runId={run.id}
              step={shown}
              attempts={attempts}
              isLive={run.endedAt == null}
              onStep={onStep}
              onLogs={() => onLogs(shown.name)}
            />
          )
        }
      </Answer>
      {isRetrying && shown && <RetryDialog run={run} step={shown} onClose={() => setRetrying(false)} />}
    </>
  );
  if (isNarrow)
    return (
      <Dialog isOpen onClose={onClose} title={title} size="sheet" footer={retry}>
        {content}
      </Dialog>
    );
  return (
    <Panel
      title={title}
      actions={
        <>
          {retry}
          <Button kind="quiet" icon={X} isIconOnly onClick={onClose}>
            Close the step
          </Button>
        </>
      }
    >
      {content}
    </Panel>
  );
}

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
    <Confirm
      title={`Retry from “${visibleText(step.name)}”?`}
      description="A new run takes over the results of all steps before this one, and executes the rest."
      verb="Retry from here"
      keep="Do not retry"
      kind="primary"
      act={retry}
      onConfirm={() => retry.act({ id: run.id, step: step.name })}
      onClose={onClose}
    />
  );
}
