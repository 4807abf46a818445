import type { WorkflowQuery } from '../../data/generated/graphql.ts';
import { durationText, visibleText } from '../../design/index.ts';

type Definition = NonNullable<WorkflowQuery['workflow']>;

const per = (key: string | null | undefined): string => (key ? ` for each ${visibleText(key)}` : '');

const spend = ({ maxCost, maxTokens }: { maxCost?: number | null; maxTokens?: number | null }): string =>
  [maxCost != null && `$${maxCost}`, maxTokens != null && `${maxTokens} tokens`].filter(Boolean).join(' or ');

/** The policies of a workflow as sentences, in the order of the gates. */
export function policySentences({ flowControl, maxAttempts, backoff, maxDuration, onFailure }: Definition): string[] {
  const flow = flowControl;
  const sentences = [
    flow?.idempotency && `Starts once${per(flow.idempotency.key)}${within(flow.idempotency.periodMs)}.`,
    flow?.rateLimit &&
      `Drops starts beyond ${flow.rateLimit.limit} in ${durationText(flow.rateLimit.perMs)}${per(flow.rateLimit.key)}.`,
    flow?.debounce &&
      `Starts after ${durationText(flow.debounce.periodMs)} without a further event${per(flow.debounce.key)}.`,
    flow?.batch &&
      `Collects up to ${flow.batch.maxSize} events, for at most ${durationText(flow.batch.timeoutMs)}${per(flow.batch.key)}, into one run.`,
    flow?.singleton &&
      `At most one unfinished run${per(flow.singleton.key)}: another start ${flow.singleton.mode === 'SKIP' ? 'is skipped' : 'cancels it'}.`,
    flow?.throttle &&
      `Starts at most ${flow.throttle.limit} runs in ${durationText(flow.throttle.perMs)}${per(flow.throttle.key)}; others wait.`,
    flow?.tokenThrottle &&
      `Starts while ${flow.tokenThrottle.tokens} tokens in ${durationText(flow.tokenThrottle.perMs)}${per(flow.tokenThrottle.key)} are not spent.`,
    flow?.concurrency &&
      `At most ${flow.concurrency.limit} runs execute at once${per(flow.concurrency.key)}; others queue.`,
    flow?.priority &&
      `Queues as if it had come ${durationText(Math.abs(flow.priority.shiftMs))} ${flow.priority.shiftMs >= 0 ? 'earlier' : 'later'}.`,
    flow?.cap && `A run fails beyond ${spend(flow.cap)}.`,
    flow?.budget && `Runs pause once ${spend(flow.budget)} within ${durationText(flow.budget.windowMs)} are spent.`,
    maxAttempts > 1 ? `Tries up to ${maxAttempts} times, with ${backoff.toLowerCase()} waits.` : 'Does not retry.',
    maxDuration != null && `Fails after ${durationText(maxDuration)}.`,
    onFailure && 'A handler runs when it fails.',
  ];
  return sentences.filter((sentence): sentence is string => Boolean(sentence));
}

const within = (periodMs: number | null | undefined): string =>
  periodMs == null ? '' : ` within ${durationText(periodMs)}`;

interface Trigger {
  event?: string | null;
  cron?: string | null;
  if?: string | null;
}

/** What starts a workflow, in words. Without triggers it is started by its name. */
export const triggerText = ({ event, cron, if: guard }: Trigger): string =>
  [event ? `event ${visibleText(event)}` : `schedule ${visibleText(cron ?? '')}`, guard && `if ${visibleText(guard)}`]
    .filter(Boolean)
    .join(' ');
