import { newId } from '../../ids.ts';
import type { LifecycleKind } from '../../lifecycle/index.ts';

interface Sample {
  id: string;
  kind: LifecycleKind;
  app: string;
  at: Date;
}

const output = { ok: true };
const error = { name: 'Error', message: 'this is a test' };

/**
 * The body of a test delivery, as JSON text. It has the fields of a real one. Its run does not
 * exist, and `test` says so.
 */
export function sampleBody({ id, kind, app, at }: Sample): string {
  const [subject, status] = kind.split('.');
  const createdAt = new Date(at.getTime() - 1500);
  const startedAt = new Date(at.getTime() - 1250);
  const hasEnded = subject === 'run';
  const run = {
    id: newId(),
    app,
    workflow: 'example',
    status: hasEnded ? status : 'running',
    triggerKind: 'event',
    eventName: 'example',
    tags: { test: 'true' },
    ...(hasEnded && outcomeOf(status, 'result')),
    createdAt,
    startedAt,
    ...(hasEnded && { endedAt: at, durationMs: at.getTime() - startedAt.getTime() }),
  };
  const durationMs = status === 'skipped' ? 0 : 250;
  const step = { name: 'example', index: 0, attempt: 1, status, ...outcomeOf(status, 'output'), durationMs };
  return JSON.stringify({ id, kind, ts: at, test: true, run, ...(!hasEnded && { step }) });
}

function outcomeOf(status: string | undefined, name: 'result' | 'output'): object {
  if (status === 'succeeded') return { [name]: output };
  if (status === 'failed') return { error };
  return status === 'skipped' ? { output: 'not needed' } : {};
}
