import { Ban, Ellipsis, GitCompareArrows, Link2, Pause, Play, RotateCcw, Terminal } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ExactText } from '../../data/exactText.ts';
import { findFault } from '../../data/jsonFault.ts';
import { useAct, useRead } from '../../data/queries.ts';
import { Answer, Button, Confirm, countText, isFinal, Menu, tell, visibleText } from '../../design/index.ts';
import { indentJson } from '../../payload/indentJson.ts';
import { JsonField } from '../../payload/JsonField.tsx';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import { cancelDocument, pauseDocument, replayDocument, resumeDocument } from './controlDocuments.ts';
import { runInputDocument } from './payloadDocuments.ts';
import { historyDocument, relationsDocument, runDocument } from './runDocuments.ts';
import { stepsDocument } from './stepDocuments.ts';
import type { RunHead } from './useRun.ts';

const refreshes = [runDocument, stepsDocument, historyDocument] as never;

/** Pause, resume, cancel, replay, compare; copying a link or a command. */
export function RunControls({ run }: { run: RunHead }): ReactNode {
  const [open, setOpen] = useState<'cancel' | 'replay'>();
  const write = useRefusal('write');
  const start = useRefusal('start');
  const pause = useAct(pauseDocument, { refreshes, done: () => 'Paused' });
  const resume = useAct(resumeDocument, { refreshes, done: () => 'Resumed' });
  const hasEnded = isFinal(run.status);
  const isPaused = run.status === 'PAUSED';
  const close = (): void => setOpen(undefined);
  const go = useGo();
  const compare = (): void => go(['runs', 'compare'], { a: run.id });
  return (
    <>
      {!hasEnded && !isPaused && (
        <Button icon={Pause} refusal={write} isBusy={pause.isBusy} onClick={() => pause.act({ id: run.id })}>
          Pause
        </Button>
      )}
      {isPaused && (
        <Button
          icon={Play}
          kind="primary"
          refusal={write}
          isBusy={resume.isBusy}
          onClick={() => resume.act({ id: run.id })}
        >
          Resume
        </Button>
      )}
      {!hasEnded && (
        <Button icon={Ban} kind="danger" refusal={write} onClick={() => setOpen('cancel')}>
          Cancel
        </Button>
      )}
      <Button
        icon={RotateCcw}
        refusal={start ?? (hasEnded ? undefined : 'the run has not ended')}
        onClick={() => setOpen('replay')}
      >
        Replay
      </Button>
      {run.replayOf && (
        <Button icon={GitCompareArrows} onClick={compare}>
          Compare with its original
        </Button>
      )}
      <Menu
        trigger={
          <Button icon={Ellipsis} isIconOnly>
            More
          </Button>
        }
        entries={[
          ...(run.replayOf ? [] : [{ label: 'Compare with another run', icon: GitCompareArrows, onSelect: compare }]),
          { label: 'Copy link', icon: Link2, onSelect: () => copy(shortLink(run.id), 'Link') },
          { label: 'Copy as curl', icon: Terminal, onSelect: () => copy(curlOf(run.id), 'Command') },
        ]}
      />
      {open === 'cancel' && <CancelDialog run={run} onClose={close} />}
      {open === 'replay' && <ReplayDialog run={run} onClose={close} />}
    </>
  );
}

/** A link that leads to the project of whoever opens it. */
const shortLink = (id: string): string => `${location.origin}/console/runs/${id}`;
const curlOf = (id: string): string =>
  `curl -H "Authorization: Bearer $HOLDFAST_API_KEY" ${location.origin}/runs/${id}`;

function copy(text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => tell(`${what} copied`),
    () => tell('The browser refused to copy', { isFailure: true }),
  );
}

function CancelDialog({ run, onClose }: { run: RunHead; onClose: () => void }): ReactNode {
  const relations = useRead(relationsDocument, { id: run.id });
  const cancel = useAct(cancelDocument, { refreshes, done: () => 'Cancelled', onDone: onClose, isQuiet: true });
  const children = relations.data?.run?.children.filter(({ status }) => !isFinal(status)).length;
  return (
    <Confirm
      title={`Cancel “${visibleText(run.workflow)}”?`}
      description={
        children === undefined
          ? 'Its unfinished children end, too.'
          : children === 0
            ? 'It has no unfinished children.'
            : `Its ${countText(children)} unfinished ${children === 1 ? 'child ends' : 'children end'}, too.`
      }
      verb="Cancel the run"
      keep="Keep it"
      act={cancel}
      onConfirm={() => cancel.act({ id: run.id })}
      onClose={onClose}
    />
  );
}

function ReplayDialog({ run, onClose }: { run: RunHead; onClose: () => void }): ReactNode {
  const payloads = useRead(runInputDocument, { id: run.id }, { hasPayloads: true });
  const original = payloads.data?.run ? indentJson(payloads.data.run.inputPayload?.text ?? 'null') : undefined;
  const [edited, setEdited] = useState<string>();
  const go = useGo();
  const replay = useAct(replayDocument, {
    refreshes,
    done: () => 'Replayed as a new run',
    onDone: ({ replayRun }) => {
      onClose();
      if (replayRun) go(['runs', replayRun.run.id]);
    },
    isQuiet: true,
  });
  const isChanged = edited !== undefined && edited !== original;
  const isMissing = edited?.trim() === '';
  const isFaulty = isChanged && (isMissing || findFault(edited) !== undefined);
  return (
    <Confirm
      size="wide"
      title={`Replay “${visibleText(run.workflow)}”`}
      description="A new run starts with this input. The present one stays as it is."
      verb={isChanged ? 'Replay with this input' : 'Replay'}
      keep="Do not replay"
      kind="primary"
      refusal={isFaulty ? 'the input is not JSON' : undefined}
      act={replay}
      onConfirm={() => replay.act({ input: { runId: run.id, ...(isChanged && { input: new ExactText(edited) }) } })}
      onClose={onClose}
    >
      <Answer read={payloads} skeleton={{ rows: 4 }}>
        {() => (
          <JsonField
            label="Input"
            rows={14}
            value={edited ?? original ?? ''}
            error={isMissing ? 'An input is missing: null is the least' : undefined}
            hint={
              isChanged ? 'Changed: the new run gets this input.' : 'Unchanged: the new run gets the very same text.'
            }
            onText={setEdited}
          />
        )}
      </Answer>
    </Confirm>
  );
}
