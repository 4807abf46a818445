import { eventType, type Holdfast } from '@holdfast/sdk';
import type { PullRequestPayload } from './payloads.ts';

/** All webhooks of the source. Their kind is in a header, and their action in the payload. */
export const githubWebhook = eventType<PullRequestPayload>('github.webhook');
export const reviewWanted = eventType<ReviewWanted>('review.wanted');

interface ReviewWanted {
  repository: string;
  number: number;
  author: string;
  owner: string;
  size: Size;
}
type Size = 'tiny' | 'small' | 'medium' | 'large';

/** The step that starts runs of the second workflow. */
export const askForReview = 'ask for a review';
/** The step that waits until the pull request is closed. */
export const untilClosed = 'until it is closed';

/** A guard in CEL. */
const isPullRequest = (action: string): string =>
  `event.headers["x-github-event"] == "pull_request" && event.data.action == ${JSON.stringify(action)}`;

export function defineWorkflows(hf: Holdfast) {
  const reviewPullRequest = hf.workflow(
    {
      id: 'review pull request',
      triggers: [{ event: githubWebhook, if: `${isPullRequest('opened')} && !event.data.pull_request.draft` }],
      retry: { maxAttempts: 3, backoff: 'fixed', initialDelayMs: 500 },
    },
    async ({ event, step, log }) => {
      const { number, pull_request: pull, repository } = event.data;
      log.info(`pull request #${number} of ${repository.full_name}: ${pull.title}`);

      const [size, remarks, checks] = await Promise.all([
        step.run('measure the change', () => sizeOf(pull.additions + pull.deletions)),
        step.run('read the description', () => remarksOn(pull.title, pull.body)),
        step.run('run the checks', ({ attempt }) => runChecks(pull.changed_files, attempt)),
      ]);
      await step.sleep('give the author a moment', '1s');
      const asked = await step.emit(askForReview, {
        name: reviewWanted,
        data: {
          repository: repository.full_name,
          number,
          author: pull.user.login,
          owner: repository.owner.login,
          size,
        },
      });
      const closed = await step.waitForEvent(untilClosed, {
        event: githubWebhook,
        if: `${isPullRequest('closed')} && event.data.number == ${number} && event.data.repository.full_name == ${JSON.stringify(repository.full_name)}`,
        timeout: '30d',
      });
      const outcome = closed === null ? 'forgotten' : closed.data.pull_request.merged ? 'merged' : 'closed unmerged';
      log.info(`pull request #${number}: ${outcome}`, { size, remarks });
      return { number, size, remarks, checks, outcome, reviewRuns: asked.runIds };
    },
  );

  const assignReviewers = hf.workflow(
    { id: 'assign reviewers', triggers: [reviewWanted] },
    async ({ event, step, log }) => {
      const { author, owner, size, number } = event.data;
      const reviewers = await step.run('choose reviewers', () => chooseReviewers(author, owner, size));
      await step.run('note it down', () => log.info(`#${number} goes to ${reviewers.join(' and ')}`));
      return { number, reviewers };
    },
  );

  return { reviewPullRequest, assignReviewers };
}

function sizeOf(lines: number): Size {
  if (lines <= 10) return 'tiny';
  if (lines <= 100) return 'small';
  return lines <= 500 ? 'medium' : 'large';
}

function remarksOn(title: string, body: string | null): string[] {
  return [
    ...(title.endsWith('.') ? ['the title ends in a full stop'] : []),
    ...(body === null || body.trim() === '' ? ['there is no description'] : []),
  ];
}

/** Simulates a test machine that loses its first job. The retry is real. */
function runChecks(files: number, attempt: number): { files: number; passedInAttempt: number } {
  if (attempt === 1) throw new Error('the check machine went away (simulated)');
  return { files, passedInAttempt: attempt };
}

function chooseReviewers(author: string, owner: string, size: Size): string[] {
  const first = owner === author ? 'a second pair of eyes' : owner;
  return size === 'large' ? [first, 'the architecture group'] : [first];
}
