import type { Done } from '../../engine/agents/index.ts';
import { bulkCancelRuns, bulkReplayRuns, type DocumentRoute } from '../../rest/index.ts';
import { memberOf } from '../catalog/arguments.ts';
import { routeRunner } from '../catalog/routeTool.ts';
import { sinceOf } from '../catalog/since.ts';
import type { Tool, ToolCall } from '../declare/tool.ts';
import { confirmTool, type Looked } from '../writes/confirmTool.ts';
import { onceConfirmedBefore } from '../writes/once.ts';
import { quoted } from '../writes/quoted.ts';

/** The query that counts what a bulk call would act on, with the arguments of the call. */
const previewRoute = (route: DocumentRoute, input: string, query: string): DocumentRoute => ({
  ...route,
  document: /* GraphQL */ `
    query BulkPreview($input: ${input}!) { ${query}(input: $input) { ...Preview } }
    fragment Preview on BulkPreview {
      matched count skipped capped until
      sample { id app workflow status createdAt }
    }`,
  success: { status: 200, at: [query] },
});

interface Bulk {
  name: 'bulk_cancel_runs' | 'bulk_replay_runs';
  route: DocumentRoute;
  preview: DocumentRoute;
  /** What happens to the runs, and the count of those to which it did. */
  verb: 'Cancel' | 'Replay';
  done: 'cancelled' | 'replayed';
  title: string;
  description: string;
}

function bulkTool({ name, route, preview, verb, done, title, description }: Bulk): Tool {
  const look = routeRunner(preview);
  const write = routeRunner(route);
  return confirmTool({
    name,
    toolset: 'bulk',
    route,
    title,
    description,
    annotations: { destructiveHint: true, openWorldHint: true },
    result: Object.fromEntries(
      ['matched', done, 'skipped', 'failed'].map((each) => [each, { type: 'integer' as const }] as const),
    ),
    box: `${verb} the runs`,
    kept: ['dedupeId'],
    async look(call): Promise<Looked> {
      const { until, ...found } = Object((await look(call)).body);
      const { count, capped, sample } = found;
      return {
        preview: found,
        until: String(until),
        since: sinceOf(call.arguments, call.engine.clock)['since'],
        isNothing: count === 0,
        question: questionOf({ verb, count, capped, sample, call }),
      };
    },
    act: async (call, { until, since, ...confirmation }) =>
      onceConfirmedBefore(call, confirmation, async () => {
        const counts = Object((await write(call, { query: { until, since } })).body);
        const { capped, ...numbers } = counts;
        return { answer: { about: didLine(done, numbers), data: counts }, done: numbers };
      }),
    did: (counts) => didLine(done, counts),
  });
}

/** A line of counts. */
const didLine = (done: string, counts: Done): string =>
  `${Number(counts[done])} runs ${done}, ${Number(counts['skipped'])} skipped, ${Number(counts['failed'])} failed.`;

interface Asked {
  verb: string;
  count: unknown;
  capped: unknown;
  sample: unknown;
  call: ToolCall;
}

const filters = ['app', 'workflow', 'status', 'runType', 'dedupeId', 'since', 'until', 'tags'] as const;

function questionOf({ verb, count, capped, sample, call }: Asked): string {
  const given = filters.flatMap((name) => {
    const value = memberOf(call.arguments, name);
    if (value === undefined) return [];
    return [`${name} ${quoted(typeof value === 'string' ? value : JSON.stringify(value), 300)}`];
  });
  const rows = Array.isArray(sample) ? sample.map(Object) : [];
  const lines = rows.map(
    ({ id, app, workflow, status, createdAt }) =>
      `- ${id}: workflow ${quoted(workflow)} of app ${quoted(app)}, ${status}, created ${createdAt}`,
  );
  return [
    `${verb} ${Number(count)} runs?${capped === true ? ' More match: these are the newest.' : ''}`,
    `Filter: ${given.join(', ')}.`,
    'The newest of them:',
    ...lines,
    'Runs that are created after this question stay as they are.',
  ].join('\n');
}

/** 4.6 */
export const bulkWrites: readonly Tool[] = [
  bulkTool({
    name: 'bulk_replay_runs',
    route: bulkReplayRuns,
    preview: previewRoute(bulkReplayRuns, 'BulkReplayRunsInput', 'bulkReplayPreview'),
    verb: 'Replay',
    done: 'replayed',
    title: 'Replay many runs',
    description:
      'Replays the newest ended runs that match, at most 1000, as new runs. The first call answers a preview and `confirm`, and changes nothing. The second call with the same arguments and `confirm` acts, on no run that is newer than the preview. Here, `dedupeId` is a filter: `confirm` acts once.',
  }),
  bulkTool({
    name: 'bulk_cancel_runs',
    route: bulkCancelRuns,
    preview: previewRoute(bulkCancelRuns, 'BulkCancelRunsInput', 'bulkCancelPreview'),
    verb: 'Cancel',
    done: 'cancelled',
    title: 'Cancel many runs',
    description:
      'Cancels the newest unfinished runs that match, at most 1000, with their children. The first call answers a preview and `confirm`, and changes nothing. The second call with the same arguments and `confirm` acts, on no run that is newer than the preview. Here, `dedupeId` is a filter: `confirm` acts once.',
  }),
];
