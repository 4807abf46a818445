import { getRouteApi } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ExactText } from '../../data/exactText.ts';
import { formErrors } from '../../data/fieldErrors.ts';
import type { EventDataQuery, SendEventMutation } from '../../data/generated/graphql.ts';
import { useKnownNames } from '../../data/knownNames.ts';
import { useAct, useRead } from '../../data/queries.ts';
import { useSuggestions } from '../../data/suggestions.ts';
import { Answer, Button, Field, PageHead, Panel, Stack, TextField, TroubleNote } from '../../design/index.ts';
import { indentJson } from '../../payload/indentJson.ts';
import { JsonField } from '../../payload/JsonField.tsx';
import { PageLink } from '../../router/PageLink.tsx';
import { useTitle } from '../../router/useTitle.ts';
import { useRefusal } from '../../session/rights.ts';
import { eventDataDocument, eventsDocument, sendEventDocument } from './eventDocuments.ts';
import { Outcomes } from './Outcomes.tsx';
import styles from './SendEvent.module.css';
import { tagLines, tagsIn } from './tagLines.ts';

const route = getRouteApi('/p/$project/events/new');

/** Sends an event, from an empty form or from an earlier event, and tells what became of it. */
export default function SendEventPage(): ReactNode {
  useTitle('Send an event');
  const { name, from } = route.useSearch();
  const read = useRead(eventDataDocument, { id: from ?? '' }, { isEnabled: from !== undefined, hasPayloads: true });
  return (
    <Stack>
      <PageHead above={<PageLink to={['events']}>Events</PageLink>} title="Send an event" />
      {from === undefined ? (
        <SendForm name={name} event={undefined} />
      ) : (
        <Answer read={read}>{({ event }) => <SendForm key={from} name={name} event={event ?? undefined} />}</Answer>
      )}
    </Stack>
  );
}

type Earlier = EventDataQuery['event'];

function SendForm({ name, event }: { name: string | undefined; event: NonNullable<Earlier> | undefined }): ReactNode {
  const [form, setForm] = useState({
    name: event?.name ?? name ?? '',
    data: event?.dataPayload ? indentJson(event.dataPayload.text) : '{}',
    tags: tagLines(event?.tags),
    session: event?.session ?? '',
    targetApp: event?.targetApp ?? '',
    // A repeat with the same id would be dropped.
    dedupeId: '',
  });
  const [sent, setSent] = useState<SendEventMutation['sendEvent']>();
  const names = useSuggestions('EVENT', { typed: form.name });
  const sessions = useSuggestions('SESSION', { typed: form.session });
  const { apps } = useKnownNames();
  const refusal = useRefusal('write');
  const send = useAct(sendEventDocument, {
    refreshes: [eventsDocument] as never,
    onDone: ({ sendEvent }) => setSent(sendEvent),
    isQuiet: true,
  });
  const errors = formErrors(send.error, ['name', 'data', 'tags', 'session', 'targetApp', 'dedupeId'] as const);
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    if (refusal) return;
    setSent(undefined);
    send.act({
      input: {
        name: form.name.trim(),
        data: form.data.trim() === '' ? undefined : new ExactText(form.data),
        tags: tagsIn(form.tags),
        session: form.session.trim() || undefined,
        targetApp: form.targetApp.trim() || undefined,
        dedupeId: form.dedupeId.trim() || undefined,
      },
    });
  };
  return (
    <>
      <Panel title="The event" hasHiddenTitle>
        <form className={styles['form']} onSubmit={submit}>
          {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
          <Field
            label="Name"
            required
            suggestions={names}
            value={form.name}
            error={errors.at.name}
            onChange={(event_) => set({ name: event_.target.value })}
          />
          <JsonField
            label="Data"
            hint="Empty for an event without data. Ctrl Enter sends it."
            value={form.data}
            error={errors.at.data}
            onText={(data) => set({ data })}
          />
          <div className={styles['row']}>
            <TextField
              label="Tags"
              rows={2}
              hint="One key=value in a line."
              value={form.tags}
              error={errors.at.tags}
              onChange={(event_) => set({ tags: event_.target.value })}
            />
            <Field
              label="Session"
              hint="The conversation that the runs join."
              suggestions={sessions}
              value={form.session}
              error={errors.at.session}
              onChange={(event_) => set({ session: event_.target.value })}
            />
            <Field
              label="Only for app"
              suggestions={apps}
              value={form.targetApp}
              error={errors.at.targetApp}
              onChange={(event_) => set({ targetApp: event_.target.value })}
            />
            <Field
              label="Dedupe id"
              hint="A repeat within the window is dropped."
              value={form.dedupeId}
              error={errors.at.dedupeId}
              onChange={(event_) => set({ dedupeId: event_.target.value })}
            />
          </div>
          <div>
            <Button type="submit" kind="primary" icon={Send} refusal={refusal} isBusy={send.isBusy}>
              Send
            </Button>
          </div>
        </form>
      </Panel>
      {sent && (
        <Panel
          title={
            sent.deduped && sent.triggered.length === 0
              ? 'Dropped: an event with this dedupe id came before'
              : 'What became of it'
          }
          isFlush
        >
          <p className={styles['sent']} role="status">
            <PageLink to={['events', sent.eventId]}>The event</PageLink>
            {sent.woke > 0 && ` woke ${sent.woke} waiting ${sent.woke === 1 ? 'run' : 'runs'}`}
            {sent.suspended && ' started no run: the project is suspended'}
          </p>
          <Outcomes outcomes={sent.triggered} />
        </Panel>
      )}
    </>
  );
}
