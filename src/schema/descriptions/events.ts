import type { Texts, TypeTexts } from './texts.ts';

/** Reasons for which a start did not become a run of its own. */
const withheld: TypeTexts = {
  skipped: 'True if a `singleton` with `skip` had a holder. Null otherwise.',
  dropped: 'True if `rateLimit` dropped the start for good. Null otherwise.',
  debounced: 'True if `debounce` holds the start back, to run after quiet. Null otherwise.',
  batched: 'True if `batch` collects the event for a later run. Null otherwise.',
  deduped: 'True if the same was handled within its window. Null otherwise.',
};

/** Events and their outcomes. */
export const eventTexts: Texts = {
  Event: {
    data: 'The payload. Its text is kept. Null if it was sent without data.',
    dataPayload: 'The text of `data`: its size, its beginning, or all of it.',
    dedupeId: 'The id by which a repeat within the window is recognised. Null if the sender gave none.',
    id: 'A UUID that begins with the time of arrival, so ids sort by age.',
    name: 'The name that triggers, waits and `cancelOn` match.',
    receivedAt: 'When the service recorded it, by the clock of the database.',
    runner: 'The runner to which the started runs are pinned. Null if any may take them.',
    session: 'The conversation that the started runs join. Null if they form their own.',
    source: 'The way by which it came in.',
    suspended: 'True if the project was suspended, so that no run started. Null otherwise.',
    tags: 'At most 20 labels, which the started runs have as well. Null if there are none.',
    targetApp: 'The only app whose triggers could match. Null if all apps could.',
    triggered: 'An outcome for each workflow that matched. Empty if none did.',
    wokeRuns: 'Runs whose `waitForEvent` it ended.',
  },
  EventSource: {
    _: 'The way by which an event came in.',
    API: 'A call with a key.',
    EMIT: 'A step of a run. `sourceRunId` names the run.',
    WEBHOOK: 'A signed message to a webhook source.',
  },
  TriggerOutcome: {
    ...withheld,
    app: 'The app of the workflow that matched.',
    runId: 'The run that started. Null if flow control withheld the start.',
    workflow: 'The name of the workflow that matched.',
  },
  SendEventInput: {
    _: 'An event to record.',
    data: 'Any JSON. Null is data that is null; absent is no data.',
    name: 'At most 256 characters. Triggers match it exactly, or by a prefix before `*`.',
    session: 'The conversation that the started runs join.',
  },
  SendEventPayload: {
    _: 'The event, and its effect on workflows and waiting runs. Flags sum up `triggered`.',
    ...withheld,
    deduped: 'True if the event repeats a `dedupeId`, or some start an `idempotency` key. Null otherwise.',
    suspended: 'True if the project is suspended: the event is recorded, and starts no run. Null otherwise.',
    triggered: 'An outcome for each workflow that matched. Empty for a repeat.',
    woke: 'Waiting runs that the event woke.',
  },
  SendEventsInput: { _: 'Events to record together.' },
  SendEventsPayload: { _: 'The events, and the effect of each.' },
  TriggerWorkflowInput: {
    _: 'A start of one workflow. Flow control still applies.',
    app: 'The app that registered the workflow.',
    name: 'The name of the workflow within its app.',
    tags: 'At most 20 labels of the run.',
  },
  TriggerWorkflowPayload: {
    _: 'The run, or the reason for which none started.',
    ...withheld,
    app: 'The app that was named.',
    eventName: 'The name that the handler sees as `event.name`.',
    run: 'The run that started. Null if `runId` is null.',
    workflow: 'The workflow that was named.',
  },
};
