import { Plug } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { formErrors } from '../../data/fieldErrors.ts';
import type { ProjectProvidersQuery } from '../../data/generated/graphql.ts';
import { useAct, useRead } from '../../data/queries.ts';
import {
  Answer,
  Badge,
  Button,
  Cell,
  Confirm,
  Dialog,
  Empty,
  Field,
  Head,
  Panel,
  Table,
  Time,
  TroubleNote,
  visibleText,
} from '../../design/index.ts';
import styles from './operator.module.css';
import { providersDocument, removeProviderDocument, setProviderDocument } from './operatorDocuments.ts';

type Provider = NonNullable<ProjectProvidersQuery['project']>['providerKeys'][number];

const refreshes = [providersDocument] as never;

/** The keys with which the service calls models for the project. */
export function Providers({ id }: { id: string }): ReactNode {
  const read = useRead(providersDocument, { id });
  const [isSetting, setSetting] = useState(false);
  const [removing, setRemoving] = useState<string>();
  const remove = useAct(removeProviderDocument, {
    refreshes,
    isQuiet: true,
    done: () => 'Provider key removed',
    onDone: () => setRemoving(undefined),
  });
  return (
    <Panel
      title="Provider keys"
      isFlush
      actions={
        <Button icon={Plug} onClick={() => setSetting(true)}>
          Set a provider key
        </Button>
      }
    >
      <Answer
        read={read}
        isEmpty={({ project }) => !project?.providerKeys.length}
        empty={
          <Empty title="No provider key is set">
            <p>The service calls models for workflows with such a key. Calls that runners make need none.</p>
          </Empty>
        }
      >
        {({ project }) => (
          <Table
            label="Provider keys of the project and of the service"
            isCards
            head={
              <>
                <Head>Provider</Head>
                <Head>Key</Head>
                <Head>From</Head>
                <Head>Last used</Head>
                <Head>Last refusal</Head>
                <Head>
                  <span className="unseen">Actions</span>
                </Head>
              </>
            }
          >
            {project?.providerKeys.map((row) => (
              <Row key={`${row.source} ${row.provider}`} row={row} onRemove={() => setRemoving(row.provider)} />
            ))}
          </Table>
        )}
      </Answer>
      {isSetting && <SetProvider projectId={id} onClose={() => setSetting(false)} />}
      {removing !== undefined && (
        <Confirm
          title={`Remove the key for ${visibleText(removing)}`}
          description="Calls then use the key of the service’s settings, if there is one. Without one they wait."
          verb="Remove the key"
          act={remove}
          onConfirm={() => remove.act({ input: { projectId: id, provider: removing } })}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </Panel>
  );
}

function Row({ row, onRemove }: { row: Provider; onRemove: () => void }): ReactNode {
  const { provider, baseUrl, lastFour, source, lastUsedAt, lastRefusal, lastRefusedAt } = row;
  return (
    <tr>
      <Cell>
        <span className={styles['two']}>
          <span className={styles['name']}>{visibleText(provider)}</span>
          {baseUrl && <span className={styles['soft']}>{visibleText(baseUrl)}</span>}
        </span>
      </Cell>
      <Cell>
        <code className={styles['soft']}>{lastFour ? `…${visibleText(lastFour)}` : 'hidden'}</code>
      </Cell>
      <Cell>
        <Badge tone={source === 'PROJECT' ? 'good' : 'idle'}>
          {source === 'PROJECT' ? 'the project' : 'the service'}
        </Badge>
      </Cell>
      <Cell data-before="used" className={styles['named']}>
        {lastUsedAt ? <Time at={lastUsedAt} form="relative" /> : <span className={styles['soft']}>never</span>}
      </Cell>
      <Cell data-before="refused" className={styles['named']}>
        {lastRefusal ? (
          <span className={styles['two']}>
            <span>{visibleText(lastRefusal)}</span>
            <span className={styles['soft']}>
              <Time at={lastRefusedAt} form="relative" />
            </span>
          </span>
        ) : (
          <span className={styles['soft']}>never</span>
        )}
      </Cell>
      <Cell className={styles['action']}>
        <Button
          kind="danger"
          refusal={source === 'PROJECT' ? undefined : 'it stands in the settings of the service'}
          onClick={onRemove}
          aria-label={`Remove the key for ${visibleText(provider)}`}
        >
          Remove
        </Button>
      </Cell>
    </tr>
  );
}

function SetProvider({ projectId, onClose }: { projectId: string; onClose: () => void }): ReactNode {
  const [provider, setProvider] = useState('');
  const [apiKey, setApiKey] = useState('');
  const [baseUrl, setBaseUrl] = useState('');
  const set = useAct(setProviderDocument, {
    refreshes,
    isQuiet: true,
    done: () => 'Provider key set',
    onDone: () => {
      set.reset();
      onClose();
    },
  });
  const errors = formErrors(set.error, ['provider', 'apiKey', 'baseUrl']);
  const refusal = provider.trim() && apiKey ? undefined : 'a provider and its key are needed';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (refusal) return;
    set.act({ input: { projectId, provider: provider.trim(), apiKey, baseUrl: baseUrl.trim() || undefined } });
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Set a provider key"
      description="The service seals the key, and never shows it again."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="set-provider" refusal={refusal} isBusy={set.isBusy}>
            Set
          </Button>
        </>
      }
    >
      <form id="set-provider" className={styles['form']} onSubmit={submit}>
        {errors.trouble && <TroubleNote trouble={errors.trouble} isNarrow />}
        <Field
          label="Provider"
          hint="anthropic, openai, or the name of another one."
          value={provider}
          error={errors.at.provider}
          onChange={(event) => setProvider(event.target.value)}
        />
        <Field
          label="Key of the provider"
          type="password"
          autoComplete="off"
          value={apiKey}
          error={errors.at.apiKey}
          onChange={(event) => setApiKey(event.target.value)}
        />
        <Field
          label="Address"
          type="url"
          hint="Of an OpenAI-compatible server or a gateway. Not needed for anthropic and openai."
          value={baseUrl}
          error={errors.at.baseUrl}
          onChange={(event) => setBaseUrl(event.target.value)}
        />
      </form>
    </Dialog>
  );
}
