import { z } from 'zod';
import { printable, shortTime, table } from './terminal.ts';

const failure = z.object({ name: z.string().optional(), message: z.string() });
const shortText = z.string().transform((text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text));

/** The fields of a cause that the table shows. Each kind has some of them. */
const cause = z.object({
  kind: z.string(),
  since: z.coerce.date().optional(),
  until: z.coerce.date().optional(),
  step: z.object({ name: shortText }).optional(),
  reason: z.string().optional(),
  actor: shortText.optional(),
  lack: z.string().optional(),
  workflow: shortText.optional(),
  policy: z.string().optional(),
  key: shortText.optional(),
  limit: z.number().optional(),
  inUse: z.number().optional(),
  ahead: z.number().optional(),
  isMoreAhead: z.boolean().optional(),
  holders: z.array(z.string()).optional(),
  nextAttempt: z.number().optional(),
  failures: z.number().optional(),
  error: failure.optional(),
  eventName: shortText.optional(),
  guard: shortText.optional(),
  refused: z.array(z.object({ id: z.string() })).optional(),
  approvalId: z.string().optional(),
  tool: shortText.optional(),
  path: z.array(z.string()).optional(),
  lane: z.object({ provider: shortText, model: shortText, heldFor: shortText.optional() }).optional(),
});
type Cause = z.output<typeof cause>;

const diagnosis = z.object({
  verdict: z.string(),
  summary: z.string(),
  causes: z.array(cause.extend({ because: cause.optional() })),
  failure: z
    .object({
      kind: z.string(),
      step: z.object({ name: shortText, attempts: z.number() }).optional(),
      error: failure.optional(),
      logs: z.array(z.object({ ts: z.coerce.date(), level: z.string(), message: z.string() })),
      alike: z.object({ count: z.number(), isMore: z.boolean(), runIds: z.array(z.string()) }),
    })
    .optional(),
  cancellation: z.object({ by: z.string(), actor: shortText.optional(), runId: z.string().optional() }).optional(),
  next: z.array(z.object({ action: z.string(), arguments: z.record(z.string(), z.unknown()), why: z.string() })),
});
type Diagnosis = z.output<typeof diagnosis>;

/** Describes a diagnosis: its summary, its facts, the causes, the last log lines and what to do. */
export function describeDiagnosis(text: string): string {
  const of = diagnosis.parse(JSON.parse(text));
  return [
    `${of.verdict}: ${of.summary}`,
    ...section(factsOf(of).map((line) => printable(`  ${line}`))),
    ...section(of.causes.length > 0 ? [causeTable(of.causes)] : []),
    ...section((of.failure?.logs ?? []).map(({ level, message }) => printable(`  ${level}  ${message}`))),
    ...section(of.next.map(({ action, ...call }) => printable(`  ${action} ${JSON.stringify(call.arguments)}`))),
  ].join('\n');
}

/** The lines after an empty one; nothing if there are none. */
const section = (lines: readonly string[]): string[] => (lines.length > 0 ? ['', ...lines] : []);

function factsOf({ failure: failed, cancellation }: Diagnosis): string[] {
  const lines: string[] = [];
  if (cancellation) lines.push(`cancelled by  ${joined([cancellation.by, cancellation.actor, cancellation.runId])}`);
  if (!failed) return lines;
  const { kind, step, error, alike } = failed;
  lines.push(`failure       ${kind}`);
  if (step) lines.push(`step          ${step.name}, attempt ${step.attempts}`);
  if (error) lines.push(`error         ${messageOf(error)}`);
  if (alike.count > 0)
    lines.push(`alike in 24 h ${alike.isMore ? 'at least ' : ''}${alike.count}: ${alike.runIds.join(', ')}`);
  return lines;
}

const messageOf = ({ name, message }: z.output<typeof failure>): string => joined([name, message], ': ');

const joined = (parts: readonly (string | undefined)[], by = ', '): string =>
  parts.filter((part) => part !== undefined && part !== '').join(by);

function causeTable(causes: Diagnosis['causes']): string {
  const rows = causes.flatMap(({ because, ...each }) => [
    rowOf(each),
    ...(because ? [rowOf(because, '  of it: ')] : []),
  ]);
  return table(['WAITS FOR', 'STEP', 'UNTIL', 'DETAIL'], rows);
}

const rowOf = (each: Cause, before = ''): string[] => [
  `${before}${each.kind}`,
  each.step?.name ?? '',
  each.until ? shortTime(each.until) : '',
  detailOf(each),
];

function detailOf(each: Cause): string {
  const { limit, inUse, ahead, isMoreAhead, holders = [], refused = [] } = each;
  return joined([
    each.reason,
    each.actor,
    each.policy,
    each.lack,
    each.workflow,
    each.key && `key ${each.key}`,
    limit === undefined ? '' : `${inUse} of ${limit} in use`,
    ahead === undefined ? '' : `${isMoreAhead ? 'more than ' : ''}${ahead} ahead`,
    holders.length > 0 ? `held by ${holders[0]}` : '',
    each.nextAttempt === undefined ? '' : `attempt ${each.nextAttempt} next`,
    each.failures === undefined ? '' : `${each.failures} without an answer`,
    each.error && messageOf(each.error),
    each.eventName,
    each.guard && `if ${each.guard}`,
    refused.length > 0 ? `refused ${refused.map(({ id }) => id).join(' ')}` : '',
    each.tool,
    each.approvalId,
    each.path?.join(' > '),
    each.lane && joined([each.lane.provider, each.lane.model, each.lane.heldFor], ' '),
  ]);
}
