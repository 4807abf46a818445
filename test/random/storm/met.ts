import { runTransitions } from '../../../src/engine/runs/transitions.ts';
import { type Coverage, missing } from '../kit/coverage.ts';
import { commonFlowStatements, flowStatements, mortalStatements } from './aims.ts';

/** The expected number of places at which a connection broke, of some forty. */
const manyPlaces = 20;
/** No storm lasts as long as a run waits for a runner. */
const changes = runTransitions.filter(({ name }) => name !== 'timedOut');

const expected: Record<string, readonly string[]> = {
  pass: ['continued'],
  opcode: [
    ...['Approval', 'Emit', 'Levitate', 'RunWorkflow', 'Score', 'Sleep', 'SleepUntil', 'StepRun', 'WaitForEvent'],
    'Webhook',
  ],
  move: [
    'advance',
    'afford',
    'answer',
    'cancel',
    'cancelAll',
    'claim',
    'contend',
    'decide',
    'drop',
    'event',
    'fire',
    'flush',
    'gates',
    'gather',
    'invoke',
    'look',
    'meet',
    'pause',
    'recover',
    'repeat',
    'replay',
    'replayAll',
    'resume',
    'retry',
    'runner',
    'rush',
    'start',
    'steal',
    'strand',
    'tick',
    'trigger',
    'wake',
  ],
  fault: ['late answer', 'steps reported again'],
  endpoint: ['told'],
  delivery: ['http_error', 'succeeded', 'timeout'],
  sender: ['died', 'took over'],
  time: ['over while executed'],
  race: ['waited for a lock'],
  start: ['leased at once'],
  gate: ['ceiling', 'openCeilings', 'openSlots', 'slot'],
  full: ['ceiling', 'slot'],
  meeting: [
    'stolen',
    ...['executing, gated', 'executing, ready'],
    ...['Approval', 'RunWorkflow', 'Sleep', 'WaitForEvent'].map((op) => `in flight, ${op}`),
    ...['Approval', 'WaitForEvent'].flatMap((op) => [`parked, ${op}`, `paused, ${op}`]),
  ],
  budget: ['kept by hand', 'paused', 'resumed'],
  cap: ['ended by the service', 'refused by the runner'],
  tokens: ['put off'],
  batch: ['alone', 'full', 'several'],
  debounce: ['another came', 'into a batch'],
  singleton: ['displaced', 'displaced by itself'],
  throttle: ['put off'],
  withheld: [
    ...['batched', 'call deduped', 'call dropped', 'call skipped', 'debounced', 'deduped', 'dropped', 'skipped'],
  ],
  approval: ['approved', 'approved by timeout', 'cancelled', 'denied', 'denied by timeout'],
  cron: ['fired'],
  fork: ['carried steps'],
  origin: ['child', 'cron', 'event', 'follow-on', 'started over'],
  recovery: ['events', 'expired approvals', 'flushed', 'found dead itself', 'let in', 'outcomes', 'revived', 'woken'],
  wait: ['any', 'by key', 'timed out'],
  status: ['cancelled', 'failed', 'succeeded'],
  transition: changes.flatMap(({ from, to }) => from.map((status) => `${status} → ${to}`)),
};

/**
 * A storm that met nothing proves nothing. Lists the opcodes, faults, deaths and recoveries that
 * were not met, by kind and name.
 */
export function notMet(coverage: Coverage): string[] {
  const died = new Set(coverage.of('died').map((place) => place.split(':')[0] ?? ''));
  const lost = coverage.of('connection lost').length;
  return [
    ...Object.entries(expected).flatMap(([kind, all]) => coverage.missing(kind, all)),
    ...missing('died', [...mortalStatements, ...commonFlowStatements], [...died]),
    ...Object.entries(flowStatements).flatMap(([policy, names]) =>
      names.some((name) => died.has(name)) ? [] : [`died: a statement of ${policy}`],
    ),
    ...(lost > manyPlaces ? [] : [`connection lost: at more than ${manyPlaces} places`]),
  ];
}
