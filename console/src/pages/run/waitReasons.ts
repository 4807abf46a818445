import type { RunQuery } from '../../data/generated/graphql.ts';
import { durationText, type Tone, visibleText, wordsOf } from '../../design/index.ts';

type Run = NonNullable<RunQuery['run']>;
export type Wait = Run['waiting'][number];
type InnerWait = NonNullable<Extract<Wait, { __typename: 'ChildWait' }>['because']>;

/** A link of a reason: a page within the project. */
export interface ReasonLink {
  label: string;
  to: readonly string[];
  search?: Record<string, unknown>;
}

/** One reason why a run does not move, in words. */
export interface Reason {
  title: string;
  /** What ends it, or what to do. */
  detail?: string | undefined;
  tone: Tone;
  links: ReasonLink[];
  /** When it ends by itself. */
  until?: string | null | undefined;
  since?: string | null | undefined;
}

/** The sentences for all causes, the most binding first, as the service orders them. */
export const reasonsOf = (waits: readonly Wait[]): Reason[] => waits.map(reasonOf);

function reasonOf(wait: Wait): Reason {
  const { title, detail, tone, links } = wordsFor(wait);
  const at = wait.step ? `Step “${visibleText(wait.step.name)}”: ${lowered(title)}` : title;
  return { title: at, detail, tone, links: links ?? [], until: wait.until, since: wait.since };
}

const lowered = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);

interface Words {
  title: string;
  detail?: string | undefined;
  tone: Tone;
  links?: ReasonLink[];
}

function wordsFor(wait: Wait | InnerWait): Words {
  switch (wait.__typename) {
    case 'ConcurrencyWait': {
      const scope = wait.key == null ? 'the workflow' : `“${visibleText(wait.key)}”`;
      return {
        title: `Waits for a slot: ${wait.inUse} of ${wait.limit} of ${scope} are in use`,
        detail: queueText(wait),
        tone: 'hold',
        links: holderLinks(wait.holders),
      };
    }
    case 'CeilingWait':
      return {
        title: `Waits for the project's ceiling: ${wait.inUse} of ${wait.limit} runs execute`,
        detail: queueText(wait),
        tone: 'hold',
        links: holderLinks(wait.holders),
      };
    case 'StartWait':
      return startWords(wait.policy, wait.key);
    case 'RunnerWait':
      return runnerWords(wait);
    case 'TransportWait':
      return {
        title: `No answer from the runner, ${wait.failures} of ${wait.maxFailures} times`,
        detail: wait.error ? visibleText(wait.error.message) : 'The run fails when the last try fails.',
        tone: 'bad',
        links: [{ label: 'Runners', to: ['runners'] }],
      };
    case 'RetryWait': {
      const of = wait.maxAttempts == null ? '' : ` of ${wait.maxAttempts}`;
      return {
        title: `Waits for attempt ${wait.nextAttempt}${of}`,
        detail: wait.error ? `The last one failed: ${errorText(wait.error)}` : undefined,
        tone: 'bad',
      };
    }
    case 'SleepWait':
      return { title: 'Sleeps', tone: 'wait' };
    case 'EventWait':
      return eventWords(wait);
    case 'ChildWait':
      return childWords(wait);
    case 'ApprovalWait':
      return {
        title: `Waits for a decision on “${visibleText(wait.tool)}” (${visibleText(wait.risk)} risk)`,
        detail: wait.isEscalated
          ? 'Its deadline has passed: somebody must decide.'
          : `At the deadline: ${wordsOf(wait.onTimeout).toLowerCase()}.`,
        tone: 'hold',
        links: [{ label: 'Decide', to: ['approvals', wait.approvalId] }],
      };
    case 'InferenceWait':
      return inferenceWords(wait);
    case 'PausedWait':
      return pausedWords(wait);
    case 'DispatcherWait':
      return {
        title: wait.alive === 0 ? 'No dispatcher is alive' : 'The dispatcher of the run is silent',
        detail:
          wait.alive === 0
            ? 'No run is handed out until a process with the role dispatcher starts.'
            : 'Another one takes the run over.',
        tone: 'bad',
      };
    default:
      // A cause of a newer service.
      return { title: `Waits: ${wordsOf((wait as { kind: string }).kind).toLowerCase()}`, tone: 'wait' };
  }
}

const queueText = ({ ahead, isMoreAhead }: { ahead: number; isMoreAhead: boolean }): string =>
  ahead === 0 ? 'It is next.' : `${ahead}${isMoreAhead ? '+' : ''} ${ahead === 1 ? 'run is' : 'runs are'} ahead of it.`;

const maxHolders = 5;

const holderLinks = (holders: readonly string[]): ReasonLink[] =>
  holders.slice(0, maxHolders).map((id) => ({ label: `Held by …${id.slice(-6)}`, to: ['runs', id] }));

const errorText = ({ name, message }: { name?: string | null; message: string }): string =>
  visibleText([name, message.split('\n', 1)[0]].filter(Boolean).join(': '));

function startWords(policy: string | null | undefined, key: string | null | undefined): Words {
  const scope = key == null ? '' : ` of “${visibleText(key)}”`;
  if (policy === 'THROTTLE') return { title: `Waits for its turn: the throttle${scope} spaces starts`, tone: 'wait' };
  if (policy === 'TOKEN_THROTTLE') {
    return {
      title: `Waits for tokens: the token bucket${scope} is drained`,
      tone: 'wait',
      links: [{ label: 'Flow', to: ['flow'] }],
    };
  }
  return { title: 'Starts later, as its caller asked', tone: 'wait' };
}

function runnerWords(wait: Extract<Wait, { __typename: 'RunnerWait' }>): Words {
  const app = visibleText(wait.app);
  const links: ReasonLink[] = [{ label: `Runners of ${app}`, to: ['runners'], search: { app: wait.app } }];
  const pin = wait.runner ? ` It is pinned to “${visibleText(wait.runner)}”.` : '';
  switch (wait.lack) {
    case 'NONE':
      return {
        title: `No runner serves “${visibleText(wait.workflow)}” of ${app}`,
        detail: `None ever registered it: start one.${pin}`,
        tone: 'bad',
        links,
      };
    case 'GONE':
      return {
        title: `No live runner serves “${visibleText(wait.workflow)}” of ${app}`,
        detail: `${wait.registered} registered it, and none is live.${pin} Without one, the run fails at the time shown.`,
        tone: 'bad',
        links,
      };
    case 'FULL':
      return {
        title: `All ${wait.live} runners of ${app} are full: ${wait.inUse} of ${wait.limit} places are taken`,
        detail: `${queueText(wait)}${pin}`,
        tone: 'hold',
        links,
      };
    default:
      return { title: `A runner of ${app} takes it next`, detail: `${queueText(wait)}${pin}`, tone: 'busy', links };
  }
}

function eventWords(wait: Extract<Wait, { __typename: 'EventWait' }>): Words {
  const guard = wait.guard ? ` that satisfies ${visibleText(wait.guard)}` : '';
  return {
    title: `Waits for the event “${visibleText(wait.eventName)}”${guard}`,
    detail: refusedText(wait.refused.length),
    tone: 'wait',
    links: [
      { label: 'Send it', to: ['events', 'new'], search: { name: wait.eventName } },
      ...wait.refused.map(({ id }) => ({ label: `Refused …${id.slice(-6)}`, to: ['events', id] })),
    ],
  };
}

function refusedText(count: number): string | undefined {
  if (count === 0) return undefined;
  return `Its guard refused ${count === 1 ? 'an event' : `the last ${count} events`} of that name.`;
}

function childWords(wait: Extract<Wait | InnerWait, { __typename: 'ChildWait' }>): Words {
  const because = 'because' in wait && wait.because ? wordsFor(wait.because) : undefined;
  const leaf = wait.path.at(-1) ?? wait.childRunId;
  const depth = wait.path.length > 1 ? ` (${wait.path.length} levels deep)` : '';
  return {
    title: `Waits for a child run, which ${stateOf(wait.childStatus)}${depth}`,
    detail: because && `Because the child: ${lowered(because.title)}. ${because.detail ?? ''}`.trim(),
    tone: because?.tone ?? 'wait',
    links: [
      { label: 'The child', to: ['runs', wait.childRunId] },
      ...(leaf !== wait.childRunId ? [{ label: 'The one that holds it up', to: ['runs', leaf] }] : []),
      ...(because?.links ?? []),
    ],
  };
}

/** `NEEDS_ATTENTION` is a verb, other statuses are adjectives. */
const stateOf = (status: string): string =>
  status === 'NEEDS_ATTENTION' ? 'needs attention' : `is ${wordsOf(status).toLowerCase()}`;

function inferenceWords(wait: Extract<Wait, { __typename: 'InferenceWait' }>): Words {
  const { lane } = wait;
  const model = `${visibleText(lane.model)} (${visibleText(lane.provider)})`;
  if (wait.isCapped)
    return { title: `The call of ${model} waits for other calls of the run, which may reach its cap`, tone: 'wait' };
  if (wait.isInFlight)
    return {
      title: `The service calls ${model}`,
      detail: `${lane.inFlight} of ${lane.limit} calls are under way.`,
      tone: 'busy',
    };
  return {
    title: `The call of ${model} waits: ${lane.inFlight} of ${lane.limit} are under way, ${lane.waiting} wait`,
    detail: lane.heldFor ? `The provider holds calls back: ${visibleText(lane.heldFor)}` : undefined,
    tone: lane.heldUntil ? 'bad' : 'wait',
  };
}

function pausedWords(wait: Extract<Wait, { __typename: 'PausedWait' }>): Words {
  if (wait.reason !== 'BUDGET') {
    return {
      title: `Paused by ${wait.actor ? visibleText(wait.actor) : 'a person'}`,
      detail: 'It goes on when somebody resumes it.',
      tone: 'hold',
    };
  }
  const { budget } = wait;
  const limits = [
    budget?.maxCost != null && `$${budget.maxCost}`,
    budget?.maxTokens != null && `${budget.maxTokens} tokens`,
  ].filter(Boolean);
  return {
    title: 'Paused by the budget of its workflow',
    detail: budget ? `${limits.join(' or ')} within ${durationText(budget.windowMs)} were spent.` : undefined,
    tone: 'hold',
    links: [{ label: 'Budgets', to: ['flow'] }],
  };
}
