import type { ReactNode } from 'react';
import {
  Countdown,
  Duration,
  Facts,
  Id,
  isFinal,
  PageHead,
  Status,
  Tags,
  Time,
  visibleText,
  wordsOf,
} from '../../design/index.ts';
import { PageLink } from '../../router/PageLink.tsx';
import { RunControls } from './RunControls.tsx';
import styles from './RunHead.module.css';
import type { RunHead } from './useRun.ts';

interface RunHeadProps {
  id: string;
  run: RunHead | null | undefined;
}

/** The head of a run: what it is, how it is, and its controls. */
export function RunHeadPart({ id, run }: RunHeadProps): ReactNode {
  return (
    <PageHead
      above={
        <>
          <PageLink to={['runs']}>Runs</PageLink>
          {run && ` / ${visibleText(run.app)}`}
        </>
      }
      title={run ? visibleText(run.workflow) : 'Run'}
      beside={
        run && (
          <>
            <Status status={run.status} />
            {run.attempt > 1 && <span className={styles['soft']}>attempt {run.attempt}</span>}
          </>
        )
      }
      below={<Id id={id} what="run id" />}
      actions={run && <RunControls run={run} />}
    />
  );
}

/** Its times, and what it belongs to. */
export const RunFacts = ({ run }: { run: RunHead }): ReactNode => <Facts facts={factsOf(run)} />;

function factsOf(run: RunHead): Parameters<typeof Facts>[0]['facts'] {
  const link = (to: readonly string[], label: string): ReactNode => <PageLink to={to}>{label}</PageLink>;
  const runLink = (id: string): ReactNode => link(['runs', id], `Run …${id.slice(-6)}`);
  return [
    ['Duration', <Duration key="d" ms={run.durationMs} since={isFinal(run.status) ? undefined : run.startedAt} />],
    run.startedAt
      ? ['Started', <Time key="s" at={run.startedAt} form="both" />]
      : ['Created', <Time key="s" at={run.createdAt} form="both" />],
    run.startAt && !run.startedAt && ['Starts', <Countdown key="a" until={run.startAt} />],
    run.endedAt && ['Ended', <Time key="e" at={run.endedAt} form="both" />],
    run.expiresAt && ['Dropped unless it begins', <Countdown key="x" until={run.expiresAt} />],
    ['Started by', startOf(run, link)],
    ['Version', <code key="v">{visibleText(run.version.slice(0, 12))}</code>],
    run.runner && ['Runner', visibleText(run.runner)],
    run.session && [
      'Session',
      <PageLink key="n" to={['sessions', run.session]}>
        {visibleText(run.session)}
      </PageLink>,
    ],
    run.parentRunId && ['Parent', runLink(run.parentRunId)],
    run.replayOf && ['Repeats', runLink(run.replayOf)],
    run.onFailureOf && ['Handles the failure of', runLink(run.onFailureOf)],
    run.ai && [
      'Model calls',
      `${run.ai.calls} · ${run.ai.tokens} tokens${run.ai.cost == null ? '' : ` · $${run.ai.cost.toFixed(4)}`}`,
    ],
    run.diagnosis.cancellation && ['Cancelled by', cancellerOf(run.diagnosis.cancellation, runLink)],
    run.tags && Object.keys(run.tags).length > 0 && ['Tags', <Tags key="t" tags={run.tags} limit={20} />],
  ].filter(Boolean) as Parameters<typeof Facts>[0]['facts'];
}

function startOf(run: RunHead, link: (to: readonly string[], label: string) => ReactNode): ReactNode {
  if (run.eventId) return link(['events', run.eventId], visibleText(run.eventName ?? 'an event'));
  if (run.parentRunId) return run.parentStep ? `step “${visibleText(run.parentStep)}”` : 'another run';
  return wordsOf(run.triggerKind);
}

function cancellerOf(
  { by, actor, runId, eventId }: NonNullable<RunHead['diagnosis']['cancellation']>,
  runLink: (id: string) => ReactNode,
): ReactNode {
  if (runId) return runLink(runId);
  if (eventId) return <PageLink to={['events', eventId]}>an event</PageLink>;
  return actor ? visibleText(actor) : wordsOf(by);
}
