import { type ChangeEvent, type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import type { WebhookHandshake, WebhookSourceScheme } from '../../data/generated/graphql.ts';
import { useKnownNames } from '../../data/knownNames.ts';
import type { RequestError } from '../../data/requestError.ts';
import { Button, Check, Field, Panel, Select, TroubleNote } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import styles from '../webhooks/Webhooks.module.css';
import { schemeLabels } from './inboundWords.ts';
import { type SourceDraft, sourceFieldNames } from './sourceForm.ts';

interface SourceFormProps {
  initial: SourceDraft;
  isNew: boolean;
  error: RequestError | undefined;
  isBusy: boolean;
  /** The page to which Cancel leads. */
  back: readonly string[];
  onSubmit: (draft: SourceDraft) => void;
}

const schemes = Object.entries(schemeLabels).map(([value, label]) => ({ value: value as WebhookSourceScheme, label }));

const handshakes: readonly { value: WebhookHandshake | ''; label: string }[] = [
  { value: '', label: 'None' },
  { value: 'META', label: 'Meta: a GET with hub.challenge' },
  { value: 'SLACK', label: 'Slack: url_verification' },
];

/** The settings of a source. The service checks them; its refusals stand at the field. */
export function SourceForm({ initial, isNew, error, isBusy, back, onSubmit }: SourceFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  const set = (change: Partial<SourceDraft>): void => setDraft({ ...draft, ...change });
  const { at, trouble } = formErrors(error, sourceFieldNames);
  const write = useRefusal('write');
  const go = useGo();
  const { apps } = useKnownNames();
  const text = (name: 'name' | 'eventName' | 'app' | 'targetApp' | 'dedupeKey' | 'exposeHeaders' | 'secret') => ({
    error: at[name],
    value: draft[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => set({ [name]: event.target.value }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!write && !isBusy) onSubmit(draft);
  };
  return (
    <Panel title={isNew ? 'New source' : 'Settings'} hasHiddenTitle>
      <form className={styles['form']} onSubmit={submit}>
        {trouble && <TroubleNote trouble={trouble} isNarrow />}
        <Field label="Name" hint="Optional. Unique in the project." {...text('name')} />
        <Field
          label="Event"
          required
          placeholder="github.push"
          hint="The name of the event that a verified message becomes."
          {...text('eventName')}
        />
        <Select
          label="Signature"
          hint="How the sender signs its messages."
          error={at.scheme}
          value={draft.scheme}
          options={schemes}
          onChoose={(scheme) => set({ scheme })}
        />
        {isNew && (
          <Field
            label="Signing secret"
            type="password"
            autoComplete="off"
            hint="If the sender made one, as Stripe does. Otherwise the service generates it, and shows it once."
            {...text('secret')}
          />
        )}
        <Field
          label="Dedupe key"
          placeholder="data.id"
          hint="Optional. A path into the body: a repeat of its value within 24 hours makes no event."
          {...text('dedupeKey')}
        />
        <Field
          label="Headers for the event"
          placeholder="x-github-event, x-github-delivery"
          hint="Optional. Names separated by commas, at most 20."
          {...text('exposeHeaders')}
        />
        <Select
          label="Handshake"
          hint="How the sender confirms the address."
          error={at.handshake}
          value={draft.handshake}
          options={handshakes}
          onChoose={(handshake) => set({ handshake })}
        />
        <Field label="App of the event" hint="Optional." suggestions={apps} {...text('app')} />
        <Field
          label="Only for this app"
          hint="Optional. Its workflows alone start."
          suggestions={apps}
          {...text('targetApp')}
        />
        <Check
          label="Enabled: its address accepts messages"
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.target.checked })}
        />
        <div className={styles['buttons']}>
          <Button onClick={() => go(back)}>Cancel</Button>
          <Button type="submit" kind="primary" refusal={write} isBusy={isBusy}>
            {isNew ? 'Create the source' : 'Save'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}
