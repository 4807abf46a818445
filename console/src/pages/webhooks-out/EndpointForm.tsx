import { type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import { useKnownNames } from '../../data/knownNames.ts';
import type { RequestError } from '../../data/requestError.ts';
import { Button, Check, Field, Panel, Select, TroubleNote, wordsOf } from '../../design/index.ts';
import { useGo } from '../../router/PageLink.tsx';
import { useRefusal } from '../../session/rights.ts';
import styles from '../webhooks/Webhooks.module.css';
import { type EndpointDraft, endpointFieldNames, eventKinds } from './endpointForm.ts';

interface EndpointFormProps {
  initial: EndpointDraft;
  isNew: boolean;
  error: RequestError | undefined;
  isBusy: boolean;
  /** The page to which Cancel leads. */
  back: readonly string[];
  onSubmit: (draft: EndpointDraft) => void;
}

/** The settings of an endpoint. The service checks them; its refusals stand at the field. */
export function EndpointForm({ initial, isNew, error, isBusy, back, onSubmit }: EndpointFormProps): ReactNode {
  const [draft, setDraft] = useState(initial);
  const set = (change: Partial<EndpointDraft>): void => setDraft({ ...draft, ...change });
  const { at, trouble } = formErrors(error, endpointFieldNames);
  const write = useRefusal('write');
  const go = useGo();
  const { apps } = useKnownNames();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!write && !isBusy) onSubmit(draft);
  };
  return (
    <Panel title={isNew ? 'New endpoint' : 'Settings'} hasHiddenTitle>
      <form className={styles['form']} onSubmit={submit}>
        {trouble && <TroubleNote trouble={trouble} isNarrow />}
        <Field
          label="Address"
          type="url"
          required
          maxLength={2048}
          placeholder="https://example.com/hooks/holdfast"
          hint="The service posts to it. Addresses of private networks are refused."
          error={at.url}
          value={draft.url}
          onChange={(event) => set({ url: event.target.value })}
        />
        <Field
          label="Name"
          hint="Optional. Unique in the project."
          error={at.name}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <Kinds draft={draft} error={at.eventKinds} onChange={set} />
        <Field
          label="Only of this app"
          hint="Optional. Without it, changes of all apps are told."
          error={at.app}
          suggestions={apps}
          value={draft.app}
          onChange={(event) => set({ app: event.target.value })}
        />
        <Select
          label="Signature"
          hint="Libraries of Standard Webhooks verify the second one."
          error={at.scheme}
          value={draft.scheme}
          options={[
            { value: 'SERVICE', label: 'X-Service-Signature' },
            { value: 'STANDARD', label: 'Standard Webhooks' },
          ]}
          onChoose={(scheme) => set({ scheme })}
        />
        {isNew && (
          <Field
            label="Signing secret"
            type="password"
            autoComplete="off"
            hint="Optional. The service generates one, and shows it once."
            error={at.secret}
            value={draft.secret}
            onChange={(event) => set({ secret: event.target.value })}
          />
        )}
        <Check
          label="Enabled: it gets deliveries"
          checked={draft.enabled}
          onChange={(event) => set({ enabled: event.target.checked })}
        />
        <div className={styles['buttons']}>
          <Button onClick={() => go(back)}>Cancel</Button>
          <Button type="submit" kind="primary" refusal={write} isBusy={isBusy}>
            {isNew ? 'Create the endpoint' : 'Save'}
          </Button>
        </div>
      </form>
    </Panel>
  );
}

interface KindsProps {
  draft: EndpointDraft;
  error: string | undefined;
  onChange: (change: Partial<EndpointDraft>) => void;
}

function Kinds({ draft, error, onChange }: KindsProps): ReactNode {
  return (
    <fieldset>
      <legend>It is told of</legend>
      <div className={styles['kinds']}>
        {eventKinds.map((kind) => (
          <Check
            key={kind}
            label={wordsOf(kind)}
            checked={draft.eventKinds.includes(kind)}
            onChange={(event) =>
              onChange({
                eventKinds: eventKinds.filter((each) =>
                  each === kind ? event.target.checked : draft.eventKinds.includes(each),
                ),
              })
            }
          />
        ))}
      </div>
      {error && (
        <p className={styles['error']} role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
